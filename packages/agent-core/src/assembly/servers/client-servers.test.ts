import { parseAllowList } from "@dt/schema/address";
import { expect, test } from "vitest";
import { targetsOf } from "../../confirmation/denied-targets.js";
import { getAlwaysScopes } from "../../confirmation/remembered-answers.js";
import type { AddressRules } from "../../mcp/address/address-rules.js";
import type { McpServerSettings } from "../../settings/servers/mcp-server-settings.js";
import type { Action } from "../../tools/action.js";
import type { Workspace } from "../../workspace/workspace.js";
import { createClientServers } from "./client-servers.js";

const workspace: Workspace = {
  root: "/w",
  resolve: async () => ({ absolute: "/w", display: ".", isInside: true }),
};

const rulesForRemoteClient: AddressRules = {
  allowList: parseAllowList([]),
  allowsLoopback: false,
  resolveName: () => Promise.reject(new Error("this test resolves no name")),
};
const rulesForLocalClient: AddressRules = { ...rulesForRemoteClient, allowsLoopback: true };

function planFor(server: McpServerSettings, addressRules = rulesForRemoteClient) {
  const { tool } = createClientServers({
    servers: { loud: server },
    addressRules,
    start: () => Promise.reject(new Error("this test starts no server")),
  });
  return tool.plan({ server: "loud" }, workspace);
}

async function shownFor(server: McpServerSettings): Promise<unknown> {
  return (await planFor(server)).details?.value;
}

test("the question about a client's MCP server quotes each word of its command line for a shell [SEC-04]", async () => {
  const server = { command: "my server", args: ["--port=80", "a b", "it's", "$(rm x)", ""] };

  const { description } = await planFor(server);
  const shown = await shownFor(server);

  const command = `'my server' --port=80 'a b' 'it'\\''s' '$(rm x)' ''`;
  expect(shown).toEqual({ command, workingDirectory: "/w" });
  expect(description).toBe(`Start the MCP server loud: ${command} in /w`);
});

test("the question shows the environment of a client's MCP server without values that may be secret [SEC-04, SEC-05]", async () => {
  const shown = await shownFor({
    command: "serve",
    env: {
      MODE: "a b",
      GOOGLE_API_KEY: "k-1",
      github_token: "t-1",
      DATABASE_URL: "postgres://ada:pw@host/db",
      LEVEL: "1",
    },
  });

  expect(shown).toEqual({
    command:
      "MODE='a b' GOOGLE_API_KEY=… github_token=… DATABASE_URL='postgres://ada:…@host/db' LEVEL=… serve",
    workingDirectory: "/w",
  });
});

test.each([
  ["no directory", {}, "/w"],
  ["a relative directory", { cwd: "sub" }, "/w/sub"],
  ["an absolute directory", { cwd: "/tmp/x" }, "/tmp/x"],
])(
  "the question about a server with %s shows the absolute working directory",
  async (_, settings, expected) => {
    const shown = await shownFor({ command: "serve", ...settings });

    expect(shown).toEqual({ command: "serve", workingDirectory: expected });
  },
);

test('"always" for a client\'s MCP server allows it only in the same working directory [SEC-04]', async () => {
  const scopes = await Promise.all(
    ["one", "two"].map(async (cwd) => {
      const { actions } = await planFor({ command: "./serve", cwd });
      return getAlwaysScopes(actions);
    }),
  );

  expect(scopes[0]).toMatchObject([{ words: "calls of start_mcp_server ./serve in /w/one" }]);
  expect(scopes[1]).not.toEqual(scopes[0]);
});

test.each(["NODE_OPTIONS", "LD_PRELOAD", "PATH", "Path", "BASH_ENV", "PYTHONPATH"])(
  "a client's MCP server cannot set %s [SEC-04]",
  async (name) => {
    await expect(planFor({ command: "serve", env: { [name]: "value-1" } })).rejects.toMatchObject({
      name: "ToolError",
      type: "unsafe_environment",
      message: `the MCP server loud is not allowed to set ${name}, because this variable can change which code runs`,
    });
  },
);

test("a client's MCP server cannot set a variable whose name contains an assignment [SEC-04]", async () => {
  const env = { "PATH=/tmp/evil:": "x" };

  await expect(planFor({ command: "serve", env })).rejects.toMatchObject({
    type: "unsafe_environment",
    message:
      'the MCP server loud is not allowed to set "PATH=/tmp/evil:", because this is not a valid variable name',
  });
});

test.each<[string, McpServerSettings, string]>([
  [
    "an argument that looks like a secret",
    { command: "serve", args: ["--token=$(touch x)", "--api-key", "k; rm -rf ~"] },
    "serve '--token=$(touch x)' --api-key 'k; rm -rf ~'",
  ],
  [
    "a command, but not the password of a URL in it",
    { command: "serve", env: { HOOK: "curl http://u:pw@host/x | sh" } },
    "HOOK='curl http://u:…@host/x | sh' serve",
  ],
  [
    "the password of a URL if it could be code",
    { command: "serve", env: { SITE: "http://u:$(touch x)@host/" } },
    "SITE='http://u:$(touch x)@host/' serve",
  ],
  [
    "a variable whose name only mentions a secret",
    { command: "serve", env: { AUTH_MODE: "./evil", TOKEN_HELPER: "touch x" } },
    "AUTH_MODE=./evil TOKEN_HELPER='touch x' serve",
  ],
  [
    "line breaks, control characters and direction marks as escapes",
    { command: "serve", args: ["a\n\n\nb", "\u001b[2Jc", "\u202ed'e"] },
    "serve $'a\\n\\n\\nb' $'\\u001b[2Jc' $'\\u202ed\\'e'",
  ],
])(
  "the question about a client's command line shows %s [SEC-04]",
  async (_what, server, command) => {
    const shown = await shownFor(server);

    expect(shown).toEqual({ command, workingDirectory: "/w" });
  },
);

test("a command line of 7,000 characters is shown, and one of 9,000 is refused [SEC-04]", async () => {
  const args = ["x".repeat(7_000), "; touch PWN"];

  const { description } = await planFor({ command: "serve", args });
  const refused = planFor({ command: "serve", args: ["x".repeat(9_000), "; touch PWN"] });

  expect(description).toContain("'; touch PWN'");
  await expect(refused).rejects.toMatchObject({ type: "too_long_to_show" });
});

test("a server is refused if its working directory has invisible characters [SEC-04]", async () => {
  await expect(planFor({ command: "serve", cwd: "a\u202eb" })).rejects.toMatchObject({
    type: "unsafe_directory",
    message: expect.stringContaining("$'a\\u202eb'"),
  });
});

test.each([
  ["API_TOKEN", "touch PWN", "serve", []],
  ["API_TOKEN", `$(touch\${IFS}PWN)`, "serve", []],
  ["API_TOKEN", "/tmp/evil", "serve", []],
  ["API_TOKEN", "./evil", "serve", []],
  ["API_TOKEN", "bin/evil", "serve", []],
  ["API_TOKEN", "reboot", "sh", ["-c", "$API_TOKEN"]],
  ["API_TOKEN", "reboot", "/bin/bash", ["-c", `eval \${API_TOKEN}`]],
  ["API_TOKEN", "reboot", "env", ["sh", "-c", "$API_TOKEN"]],
  ["API_TOKEN", "reboot", "python3", ["-c", "import os; os.system(os.environ['API_TOKEN'])"]],
  ["API_TOKEN", "reboot", "env", ["-S", `\${API_TOKEN}`]],
  ["API_TOKEN", "reboot", "npx", ["-c", "$API_TOKEN"]],
  ["API_TOKEN", "reboot", "npx", ["-c", "printenv API_TOKEN | bash"]],
  ["API_TOKEN", "reboot", "flock", ["x", "-c", "eval `printenv API_TOKEN`"]],
  ["API_TOKEN", "reboot", "make", [`SHELL=\${API_TOKEN}`]],
  ["API_TOKEN", "reboot", "bash", ["-c", "$(env | grep ^API | cut -d= -f2)"]],
  ["API_TOKEN", "reboot", "ruby", ["-e", "exec ENV.values.last"]],
])(
  "a server is refused if its secret %s=%s could be code that %s runs [SEC-04]",
  async (name, value, command, args) => {
    await expect(planFor({ command, args, env: { [name]: value } })).rejects.toMatchObject({
      type: "unsafe_environment",
      message: expect.stringContaining(`is not allowed to set ${name}`),
    });
  },
);

test.each([
  ["GITHUB_TOKEN", "ghp_0123456789abcdef", "docker", ["run", "-e", "GITHUB_TOKEN", "image"]],
  ["AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "serve", []],
  ["AUTH_TOKEN", "abc", "npx", ["mcp-remote", "--header", `Authorization:\${AUTH_TOKEN}`]],
  ["X_SECRET_ID", "0123456789abcdef01", "serve", []],
  ["API_KEY", "abc", "node", ["dist/index.js", "--port=80"]],
  ["API_KEY", "abc", "serve", ["/home/ada/My Files", "https://a.example/?b=c&d=e"]],
])(
  "the question hides the secret %s=%s in the environment of %s [SEC-05]",
  async (name, value, command, args) => {
    const { description } = await planFor({ command, args, env: { [name]: value } });

    expect(description).toContain(`${name}=… ${command}`);
    expect(description).not.toContain(value);
  },
);

test("the question shows a server's URL, and only the names of query parameters and headers [SEC-04, SEC-05]", async () => {
  const url = "https://tools.example:8443/mcp?set=s3cret-a&mode=&s3cret-b#s3cret-c";

  const plan = await planFor({ url, headers: { Authorization: "Bearer s3cret-token" } });

  const address = "https://tools.example:8443/mcp?set=…&mode=…&…";
  const description = `Connect to the MCP server loud at ${address} with the headers Authorization`;
  expect(plan.description).toBe(description);
  expect(plan.details).toEqual({ $case: "genericDetails", value: { description } });
  expect(JSON.stringify(plan)).not.toContain("s3cret");
});

test.each<[string, McpServerSettings, McpServerSettings]>([
  ["variable", { command: "serve", env: { A: "1" } }, { command: "serve", env: { A: "2" } }],
  ["query", { url: "https://a.example/?key=1" }, { url: "https://a.example/?key=2" }],
  [
    "header",
    { url: "https://a.example/", headers: { A: "1" } },
    { url: "https://a.example/", headers: { A: "2" } },
  ],
])(
  "an answer about a server does not apply if the server's hidden %s has changed [SEC-04, SEC-07]",
  async (_, one, other) => {
    const [first, again, second] = await Promise.all(
      [one, one, other].map((each) => planFor(each)),
    );

    expect(second?.description).toBe(first?.description);
    expect(again?.actions).toEqual(first?.actions);
    expect(getAlwaysScopes(second?.actions ?? [])).not.toEqual(
      getAlwaysScopes(first?.actions ?? []),
    );
    expect(targetsOf(second?.actions[0] as Action)).not.toEqual(
      targetsOf(first?.actions[0] as Action),
    );
  },
);

test("the question hides values that may be secrets, and shows values that may be code [SEC-05]", async () => {
  const shown = await shownFor({
    command: "serve",
    env: {
      PLAIN: "s3cret-plain",
      SITE: "https://host.example/a?key=s3cret-key&page=2",
      CODE: "touch x; ./y",
      FILE: "./z",
    },
  });

  expect(shown).toEqual({
    command:
      "PLAIN=… SITE='https://host.example/a?key=…&page=…' CODE='touch x; ./y' FILE=./z serve",
    workingDirectory: "/w",
  });
});

test.each([
  ["http://127.0.0.1:3000/mcp"],
  ["http://127.8.9.1/mcp"],
  ["http://[::1]:3000/mcp"],
  ["http://[::ffff:127.0.0.1]/mcp"],
  ["http://0x7f.1/mcp"],
  ["http://localhost:3000/mcp"],
  ["http://ide.localhost./mcp"],
])("the question about %s is asked only if the client is on this machine [SEC-04]", async (url) => {
  await expect(planFor({ url }, rulesForRemoteClient)).rejects.toMatchObject({
    type: "address_refused",
    message: expect.stringContaining("but the client is on another one"),
  });
  await expect(planFor({ url }, rulesForLocalClient)).resolves.toMatchObject({
    details: { $case: "genericDetails" },
  });
});

test.each([
  "http://10.0.0.1/mcp",
  "http://172.16.0.1/mcp",
  "http://192.168.1.1/mcp",
  "http://169.254.169.254/latest/meta-data",
  "http://100.64.0.1/mcp",
  "http://0.0.0.0/mcp",
  "http://[::]/mcp",
  "http://[fe80::1]/mcp",
  "http://[fd00::1]/mcp",
  "http://[::ffff:10.0.0.1]/mcp",
  "http://[64:ff9b::a00:1]/mcp",
  "http://[2002:a00:1::]/mcp",
  "http://167772161/mcp",
])("the question about %s is asked only if the operator allows that host [SEC-04]", async (url) => {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const allowed = { ...rulesForLocalClient, allowList: parseAllowList([host]) };

  await expect(planFor({ url }, rulesForLocalClient)).rejects.toMatchObject({
    type: "address_refused",
    message: expect.stringContaining("DT_MCP_ALLOW"),
  });
  await expect(planFor({ url }, allowed)).resolves.toBeDefined();
});

test.each([
  [
    "a URL with a password",
    { url: "https://me:pw@host.example/mcp" },
    "contains a user name or a password",
  ],
  ["an incomplete URL", { url: "https://" }, "is not an absolute http or https URL"],
  [
    "the header Host",
    { url: "https://a.example", headers: { Host: "b.example" } },
    "is not allowed to set the header Host",
  ],
  [
    "a URL of 9,000 characters",
    { url: `https://a.example/${"x".repeat(9_000)}` },
    "a question shows at most 8000",
  ],
])(
  "a client's server with %s is refused without a question [SEC-04]",
  async (_, server, message) => {
    await expect(planFor(server)).rejects.toMatchObject({
      name: "ToolError",
      message: expect.stringContaining(message),
    });
  },
);
