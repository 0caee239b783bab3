import { expect, test } from "vitest";
import type { McpServer } from "../gen/development_tool/settings.js";
import { checkClientSettings, isModelAllowed, isToolAllowed } from "./apply-policy.js";
import { encodePolicy } from "./encode-policy.js";
import type { ServerPolicy } from "./server-policy.js";

const program: McpServer = { command: "x", args: [], env: {}, headers: {}, options: undefined };
const address: McpServer = {
  url: "https://host/mcp",
  args: [],
  env: {},
  headers: {},
  options: undefined,
};

test("a policy without fields limits nothing", () => {
  const settings = { autoExecute: true, model: "x", mcpServers: { program } };

  expect(() => checkClientSettings({}, settings)).not.toThrow();
  expect([isModelAllowed({}, "x"), isToolAllowed({}, "x")]).toEqual([true, true]);
});

test.each<[ServerPolicy, object, string, string]>([
  [
    { maxMode: "auto-edit" },
    { autoExecute: true },
    "auto_execute",
    "the policy of this server allows no mode that is freer than auto-edit",
  ],
  [
    { models: ["a", "b*"] },
    { model: "c" },
    "model",
    "the policy of this server does not allow the model c; it allows a, b*",
  ],
  [
    { mcpServers: { clients: "none" } },
    { mcpServers: { one: address } },
    "mcp_servers.one",
    "the policy of this server does not allow MCP servers of clients",
  ],
  [
    { mcpServers: { clients: "addresses" } },
    { mcpServers: { one: address, two: program } },
    "mcp_servers.two",
    "the policy of this server does not allow programs as MCP servers of clients",
  ],
])("the policy %j refuses the settings %j of a client [SEC-10]", (policy, settings, path, why) => {
  expect(() => checkClientSettings(policy, settings)).toThrow(
    expect.objectContaining({ code: "forbidden", message: `${path}: ${why}`, data: { path } }),
  );
});

test("a model is allowed by its name or by the beginning of its name", () => {
  const policy = { models: ["gemini-2.5-pro", "openai:*"] };

  const names = ["gemini-2.5-pro", "gemini-2.5-pro-x", "openai:gpt", "offline"];

  expect(names.filter((name) => isModelAllowed(policy, name))).toEqual([
    "gemini-2.5-pro",
    "openai:gpt",
  ]);
});

test("a tool is refused if it is excluded, or missing from a list of allowed tools", () => {
  const policy = { allowedTools: ["a", "b"], excludedTools: ["b"] };

  expect(["a", "b", "c"].filter((name) => isToolAllowed(policy, name))).toEqual(["a"]);
});

test("clients get a policy without the directories of the server", () => {
  const encoded = encodePolicy({
    maxMode: "default",
    mcpServers: { clients: "none", host: "none" },
    workspaceRoots: ["/srv"],
    sharing: { links: false, maxDays: 7 },
  });

  expect(encoded).toEqual({
    max_mode: "default",
    mcp_servers: "none",
    sharing: { links: false, max_days: 7 },
  });
});
