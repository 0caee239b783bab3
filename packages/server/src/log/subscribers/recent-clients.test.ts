import { expect, test } from "vitest";
import { createVisitors } from "./recent-clients.js";

const ide = { user: "local", name: "IDE" };
const nameless = { user: "local", name: "local" };

test("whoever follows or has asked lately is one client, by name; the nameless count while they follow", () => {
  let now = 0;
  const visitors = createVisitors(() => now);

  expect(visitors.count([])).toBe(0);
  visitors.see(ide);
  visitors.see(nameless);
  expect(visitors.count([])).toBe(1);
  expect(visitors.count([ide, ide])).toBe(1);
  expect(visitors.count([ide, nameless, nameless, undefined])).toBe(4);
  now = 5_999;
  expect(visitors.count([])).toBe(1);
  now = 6_000;
  expect(visitors.count([])).toBe(0);
  expect(visitors.count([ide])).toBe(1);
});

test("someone who asks again stays, and those of another user or name are others", () => {
  let now = 0;
  const visitors = createVisitors(() => now);
  visitors.see(ide);
  visitors.see({ user: "local", name: "phone" });
  visitors.see({ user: "ada", name: "IDE" });
  visitors.see({ user: "local", name: "" });

  expect(visitors.count([])).toBe(3);
  now = 5_000;
  visitors.see(ide);
  now = 6_000;

  expect(visitors.count([])).toBe(1);
  expect(visitors.count([{ user: "ada", name: "IDE" }])).toBe(2);
});

test("of very many who ask, the last thousand are remembered", () => {
  const visitors = createVisitors(() => 0);

  for (let count = 0; count < 1_000; count += 1) visitors.see({ user: "u", name: `${count}` });
  expect(visitors.count([])).toBe(1_000);
  visitors.see(ide);

  expect(visitors.count([])).toBe(1_000);
  expect(visitors.count([ide])).toBe(1_000);
  expect(visitors.count([{ user: "u", name: "0" }])).toBe(1_001);
});
