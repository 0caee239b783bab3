import type { LocalAgent } from "@dt/client/node";
import { expect, test } from "vitest";
import { chooseAgent, isLoopback } from "./choose-agent.js";

const agent = (url: string, fields: Partial<LocalAgent>): LocalAgent => ({
  url,
  token: `token of ${url}`,
  workspacePath: "/src",
  program: "dt",
  pid: 1,
  machine: "laptop",
  startedAt: "2026-01-01T00:00:00.000Z",
  ...fields,
});

const terminal = agent("http://terminal/", { workspacePath: "/src/app", contextId: "session" });
const server = agent("http://server/", { workspacePath: "/srv" });

test.each([
  ["the configured address", "http://mine/", [terminal], "/src/app", "http://mine/"],
  ["the agent of the folder", "", [server, terminal], "/src/app/lib", "http://terminal/"],
  ["a server, not a terminal in another folder", "", [terminal, server], "/doc", "http://server/"],
  ["a server, if no folder is open", "", [terminal, server], undefined, "http://server/"],
  ["the default address, if no agent fits", "", [terminal], "/doc", "http://127.0.0.1:41242"],
])("the extension connects to %s", (_, configured, found, folder, url) => {
  expect(chooseAgent(configured, found, folder).url).toBe(url);
});

test("the token of an agent is sent only to that agent", () => {
  expect(chooseAgent("", [terminal], "/src/app").token).toBe(terminal.token);
  expect(chooseAgent("http://mine/", [terminal], "/src/app").token).toBeUndefined();
});

test.each([
  ["http://127.0.0.1:41242", true],
  ["http://localhost:1/", true],
  ["http://[::1]:1/", true],
  ["https://127.0.0.1.example/", false],
  ["https://agent.example/", false],
])("isLoopback of the address %s returns %s", (url, isLocal) => {
  expect(isLoopback(url)).toBe(isLocal);
});
