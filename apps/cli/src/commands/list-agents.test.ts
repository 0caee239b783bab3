import type { LocalAgent } from "@dt/client/node";
import { expect, test } from "vitest";
import { listAgents, sortAgents } from "./list-agents.js";

const agent = (program: string, workspacePath: string): LocalAgent => ({
  url: "http://127.0.0.1:1/",
  token: "secret",
  workspacePath,
  program,
  pid: 1,
  machine: "laptop",
  startedAt: "2026-01-01T00:00:00.000Z",
});

test("agents whose workspace contains the current directory come first", () => {
  const agents = ["/src/other", "/src/app", "/src/application", "/src"].map((each) =>
    agent("dt", each),
  );

  const sorted = sortAgents(agents, "/src/app/lib").map(({ workspacePath }) => workspacePath);

  expect(sorted).toEqual(["/src/app", "/src", "/src/other", "/src/application"]);
});

test("agents are listed with a number, and without their tokens", () => {
  expect(listAgents([agent("dt", "/src"), agent("dt-server", "/")])).toEqual([
    "1  dt         /src  http://127.0.0.1:1/",
    "2  dt-server  /  http://127.0.0.1:1/",
  ]);
});
