import type { McpServer, SessionSettings } from "@dt/schema";
import { expect, test } from "vitest";
import { openTarget, sealTarget } from "./push-secrets.js";
import { createSecretVault } from "./secret-vault.js";
import { openSettings, sealSettings } from "./session-secrets.js";

const server = (fields: Partial<McpServer>): McpServer => ({
  args: [],
  env: {},
  headers: {},
  options: undefined,
  ...fields,
});

const settings: SessionSettings = {
  workspacePath: "/w",
  allowedTools: [],
  mcpServers: {
    plain: server({ command: "x" }),
    program: server({ command: "x", env: { TOKEN: "s1" } }),
    address: server({ url: "https://host/mcp", headers: { Authorization: "s2" } }),
    query: server({ url: "https://host/mcp?key=s3" }),
  },
};

const keys = { contextId: "c", modelKey: "s4" };
const push = { taskId: "t", configId: "p" };
const target = {
  url: "https://hook/",
  token: "s5",
  authentication: { schemes: ["Bearer"], credentials: "s6" },
  version: "1.0" as const,
  developmentTool: true,
  session: true,
  allEvents: false,
};

test("sealed settings have no secret, and the agent gets all of them [SEC-05]", () => {
  const vault = createSecretVault();

  const sealed = sealSettings({ ...settings, hasModelKey: true }, keys, vault);

  expect(JSON.stringify(sealed)).not.toMatch(/s[1-4]/);
  expect(Object.keys(sealed.mcpServers)).toEqual(["plain"]);
  expect(sealed.sealed?.servers).toEqual(["program", "address", "query"]);
  expect(openSettings(sealed, "c", vault)).toEqual({
    settings: { ...settings, hasModelKey: true },
    modelKey: "s4",
    warnings: [],
  });
});

test("settings without secrets stay as they are", () => {
  const plain = { ...settings, mcpServers: { plain: server({ command: "x" }) } };
  const vault = createSecretVault();

  expect(sealSettings(plain, { contextId: "c" }, vault)).toBe(plain);
  expect(openSettings(plain, "c", vault)).toEqual({ settings: plain, warnings: [] });
});

test("each lost MCP server is named, and the reason why the model key is lost", () => {
  const sealed = sealSettings({ ...settings, hasModelKey: true }, keys, createSecretVault());

  const opened = openSettings(sealed, "c", createSecretVault());

  expect(Object.keys(opened.settings.mcpServers)).toEqual(["plain"]);
  expect(opened.warnings.map((warning) => warning.slice(0, 60))).toEqual([
    "the MCP server program is missing: its secret was kept in me",
    "the MCP server address is missing: its secret was kept in me",
    "the MCP server query is missing: its secret was kept in memo",
  ]);
  expect(opened.lostKey).toContain("was kept in memory only");
  expect(opened.modelKey).toBeUndefined();
});

test("a sealed push config has no token and no credentials, and is opened again", () => {
  const vault = createSecretVault();

  const sealed = sealTarget(target, push, vault);

  expect(JSON.stringify(sealed)).not.toMatch(/s[56]/);
  expect(sealed.authentication).toEqual({ schemes: ["Bearer"] });
  expect(openTarget(sealed, push, vault)).toEqual({ type: "opened", target });
  expect(openTarget(sealed, { ...push, configId: "q" }, vault).type).toBe("lost");
});

test("a push config without secrets stays as it is", () => {
  const { token: _, authentication: __, ...plain } = target;

  expect(sealTarget(plain, push, createSecretVault())).toBe(plain);
});
