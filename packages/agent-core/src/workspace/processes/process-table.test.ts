import { expect, test } from "vitest";
import { listProcesses, parsePsLine, parseStat } from "./process-table.js";

test("listProcesses includes this process with the pid of its parent", async () => {
  const all = await listProcesses();

  expect(all.find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
});

test("parseStat parses a process name with spaces and parentheses", () => {
  const stat = `7 (a) b (c)) S 3 5 5 ${"0 ".repeat(15)}4242 0`;

  expect(parseStat(stat, 7)).toEqual({
    pid: 7,
    parent: 3,
    group: 5,
    startedAt: "4242",
    name: "a) b (c)",
  });
});

test("parseStat and parsePsLine return undefined for a zombie process", () => {
  expect(parseStat("7 (a) Z 3 5 5 0", 7)).toBeUndefined();
  expect(parsePsLine("7 3 5 Z+ Mon Jan  5 10:00:00 2026 a")).toBeUndefined();
});

test("parsePsLine parses a line of ps", () => {
  expect(parsePsLine("  7  3 5 Ss   Mon Jan  5 10:00:00 2026 /bin/my sh")).toEqual({
    pid: 7,
    parent: 3,
    group: 5,
    startedAt: "Mon Jan  5 10:00:00 2026",
    name: "/bin/my sh",
  });
});
