import type { McpServer, SessionSettings } from "@dt/schema";
import { expect, test } from "vitest";
import { forgetTarget, openTarget, sealTarget } from "./push-secrets.js";
import { createSecretVault } from "./secret-vault.js";
import { forgetSettings, openSettings, sealSettings } from "./session-secrets.js";

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

test("sealed settings contain no secret, and opening them restores all secrets [SEC-05]", () => {
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

test("opened settings name each lost MCP server, and the reason why the model key is lost", () => {
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

test("a config with only a token, or only credentials, is opened as it was [SEC-05]", () => {
  const vault = createSecretVault();
  const { token: _, authentication: __, ...plain } = target;
  const targets = [
    { ...plain, token: "s5" },
    { ...plain, authentication: { schemes: ["Bearer"], credentials: "s6" } },
    { ...plain, token: "s5", authentication: { schemes: ["Bearer"] } },
  ];

  for (const each of targets) {
    const sealed = sealTarget(each, push, vault);
    expect(JSON.stringify(sealed)).not.toMatch(/s[56]/);
    expect(openTarget(sealed, push, vault)).toEqual({ type: "opened", target: each });
  }
});

test("the secrets of one config or of one session can be forgotten", () => {
  const vault = createSecretVault();
  const sealed = sealTarget(target, push, vault);
  const other = sealTarget(target, { ...push, taskId: "u" }, vault);
  const session = sealSettings(settings, keys, vault);

  forgetTarget(push, vault);

  expect(openTarget(sealed, push, vault)).toEqual({
    type: "lost",
    target: { ...target, token: undefined, authentication: { schemes: ["Bearer"] } },
    reason: expect.stringContaining("was kept in memory only"),
  });
  expect(openTarget(other, { ...push, taskId: "u" }, vault).type).toBe("opened");
  expect(openSettings(session, "c", vault).modelKey).toBe("s4");
  expect(openSettings(session, "d", vault).modelKey).toBeUndefined();
  forgetSettings("c", vault);
  expect(openSettings(session, "c", vault).modelKey).toBeUndefined();
});

test("a session without a model key of its own reports no lost key", () => {
  const sealed = sealSettings(settings, { contextId: "c" }, createSecretVault());

  expect(openSettings(sealed, "c", createSecretVault())).not.toHaveProperty("lostKey");
});

test.each(["https://ada:s1@host/mcp", "https://host/mcp?key=s1"])(
  "the address %s of an MCP server has a secret",
  (url) => {
    const vault = createSecretVault();
    const mcpServers = { one: server({ url }) };

    const sealed = sealSettings({ ...settings, mcpServers }, { contextId: "c" }, vault);

    expect(sealed.mcpServers).toEqual({});
    expect(openSettings(sealed, "c", vault).settings.mcpServers).toEqual(mcpServers);
  },
);
