import { expect, test } from "vitest";
import { agentFileDirectory, type LocalAgent, parseAgentFile } from "./local-agent.js";

const agent: LocalAgent = {
  url: "http://127.0.0.1:41242/",
  token: "secret",
  workspacePath: "/src",
  contextId: "session-1",
  program: "dt",
  pid: 7,
  machine: "laptop",
  startedAt: "2026-01-01T00:00:00.000Z",
};

test("an agent file is parsed, with and without a session", () => {
  const { contextId: _, ...server } = agent;

  expect(parseAgentFile({ ...agent, later: "field" })).toEqual(agent);
  expect(parseAgentFile(server)).toEqual(server);
});

test.for([
  null,
  "text",
  [agent],
  { ...agent, url: "ftp://h/" },
  { ...agent, token: 1 },
  { ...agent, contextId: null },
  { ...agent, pid: "7" },
  { ...agent, pid: 0 },
  { ...agent, pid: 1.5 },
  { ...agent, machine: undefined },
])("the content %j is not an agent file", (content) => {
  expect(parseAgentFile(content)).toBeUndefined();
});

test.each([
  [{ DT_DATA_DIR: "/data", XDG_DATA_HOME: "/xdg" }, "/data/agents"],
  [{ XDG_DATA_HOME: "/xdg" }, "/xdg/dt/agents"],
  [{ DT_DATA_DIR: "" }, "/home/ada/.local/share/dt/agents"],
])("with the variables %j, agent files are in %s", (environment, directory) => {
  expect(agentFileDirectory(environment, "/home/ada")).toBe(directory);
});
