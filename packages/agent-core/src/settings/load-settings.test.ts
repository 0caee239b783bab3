import path from "node:path";
import { describe, expect, test } from "vitest";
import { type LoadSettingsOptions, loadSettings } from "./load-settings.js";
import { SettingsError } from "./settings-error.js";
import { openTempHome, type TempHome } from "./temp-home.test-support.js";

const ours = "work/.dt/config.yaml";
const personal = ".config/dt/config.yaml";
const gemini = "work/.gemini/config.yaml";
const personalGemini = ".config/gemini-cli/config.yaml";

function load({ home, workspace }: TempHome, more: Partial<LoadSettingsOptions> = {}) {
  return loadSettings({ environment: {}, home, workspace, isTrusted: true, ...more });
}

test("loadSettings lets each source override the sources of lower priority [SRV-11]", async () => {
  await using temp = await openTempHome();
  const everywhere = [personalGemini, gemini, personal, ours];
  const seen = [(await load(temp)).settings.model];
  for (const file of everywhere) {
    await temp.write(file, `model: from ${file}`);
    seen.push((await load(temp)).settings.model);
  }
  const environment = { DT_MODEL: "from the environment" };
  seen.push((await load(temp, { environment })).settings.model);
  seen.push((await load(temp, { environment, flags: { model: "a flag" } })).settings.model);

  expect(seen).toEqual([
    undefined,
    ...everywhere.map((file) => `from ${file}`),
    "from the environment",
    "a flag",
  ]);
});

test("loadSettings merges objects by key, and replaces lists, scalars and servers as a whole", async () => {
  await using temp = await openTempHome();
  await temp.write(
    personal,
    "mode: plan\nlimits: { maxSteps: 5, maxWorkMs: 10 }\nexcludedTools: [a, b]\nmcpServers: { one: { command: x, args: [y] }, two: { command: z } }",
  );
  await temp.write(
    ours,
    "limits: { maxSteps: 9 }\nexcludedTools: [c]\nmcpServers: { one: { url: 'https://host/mcp' } }",
  );

  const { settings, sources } = await load(temp);

  expect(settings).toEqual({
    mode: "plan",
    limits: { maxSteps: 9, maxWorkMs: 10 },
    excludedTools: ["c"],
    mcpServers: { one: { url: "https://host/mcp" }, two: { command: "z" } },
  });
  expect(sources).toEqual([ours, personal].map((file) => path.join(temp.home, file)));
});

test("a workspace can lower a budget and cannot raise it, not even by its prices [TEAM-04]", async () => {
  await using temp = await openTempHome();
  await temp.write(
    personal,
    "budget: { dayCost: 5, sessionTokens: 100 }\nprices: { m: { input: 1, output: 2 } }",
  );
  await temp.write(
    ours,
    "budget: { dayCost: 50, sessionTokens: 10 }\nprices: { m: { input: 0, output: 0 } }",
  );
  const environment = { DT_BUDGET_DAY_COST: "4.5", DT_BUDGET_DAY_TOKENS: "900" };

  const { settings } = await load(temp, { environment });

  expect(settings).toEqual({
    budget: { dayCost: 4.5, dayTokens: 900, sessionTokens: 10 },
    prices: { m: { input: 1, output: 2 } },
  });
});

test("loadSettings reads mode, tools and steps from variables", async () => {
  await using temp = await openTempHome();

  const { settings } = await load(temp, {
    environment: {
      DT_MODE: "yolo",
      DT_ALLOWED_TOOLS: "a, b",
      DT_MAX_STEPS: "7",
      DT_MODEL_SILENCE_MS: "9000",
      DT_EXCLUDED_TOOLS: "",
    },
  });

  expect(settings).toEqual({
    mode: "yolo",
    allowedTools: ["a", "b"],
    limits: { maxSteps: 7 },
    modelSilenceMs: 9000,
  });
});

test("the settings files of an untrusted workspace are not read, and cause warnings [SEC-04]", async () => {
  await using temp = await openTempHome();
  const file = await temp.write(ours, "mode: yolo\nmcpServers: { evil: { command: rm } }\n: : :");
  const second = await temp.write(gemini, "model: other");

  const { settings, sources, warnings } = await load(temp, { isTrusted: false });

  expect(settings).toEqual({});
  expect(sources).toEqual([]);
  const problem = `is ignored because this workspace is not trusted; to trust it, run dt --trust in it, or dt-server trust ${temp.workspace}`;
  expect(warnings).toEqual([
    { file, key: "", problem },
    { file: second, key: "", problem },
  ]);
});

test.for([
  ["mode: fast", 1, 1, "mode", "must be one of default, auto-edit, yolo, plan"],
  [
    "model: x\nlimits:\n  maxStep: 3",
    3,
    3,
    "limits.maxStep",
    "is not a setting; did you mean maxSteps?",
  ],
  ["model: [1]", 1, 1, "model", "must be string"],
  ["excludedTools:\n  - a\n  - 3", 3, 5, "excludedTools.1", "must be string"],
  ["mcpServers:\n  one: {}", 2, 3, "mcpServers.one", "needs exactly one of command and url"],
  [
    "mcpServers:\n  one:\n    url: ftp://x",
    3,
    5,
    "mcpServers.one.url",
    "must be an http or https address",
  ],
  [
    "mcpServers:\n  one:\n    url: http://x\n    args: [a]",
    2,
    3,
    "mcpServers.one",
    "has args, which is allowed only with command",
  ],
  [
    "mcpServers:\n  a b: { command: x }",
    2,
    3,
    "mcpServers.a b",
    "must be a name of letters, digits, dots, dashes and underscores",
  ],
  ["- a list", 1, 1, "", "must be object"],
] as const)(
  "a fault in dt's own files is reported with file, line, column and key: %j",
  async ([text, line, column, key, problem]) => {
    await using temp = await openTempHome();
    const file = await temp.write(personal, text);

    const fault = {
      file,
      line,
      column,
      key,
      problem,
    };
    await expect(load(temp)).rejects.toMatchObject({ name: "SettingsError", faults: [fault] });
  },
);

test("a syntax error in dt's own files is reported with its line", async () => {
  await using temp = await openTempHome();
  const file = await temp.write(personal, "model: x\nmode: plan\nmode: yolo\n");

  await expect(load(temp)).rejects.toMatchObject({
    message: `${file}:3:1: Map keys must be unique`,
  });
});

test("all faults of a file are reported together", async () => {
  await using temp = await openTempHome();
  const file = await temp.write(personal, "mode: fast\nmodle: x\n");

  const error = await load(temp).catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(SettingsError);
  expect((error as SettingsError).message.split("\n").toSorted()).toEqual([
    `${file}:1:1: mode must be one of default, auto-edit, yolo, plan`,
    `${file}:2:1: modle is not a setting; did you mean model?`,
  ]);
});

test("a fault in dt's own files is reported without the value that caused the fault", async () => {
  await using temp = await openTempHome();
  await temp.write(personal, "mcpServers: { a: { command: x, env: { TOKEN: [s3cret-value] } } }");

  const error = await load(temp).catch((reason: unknown) => String(reason));

  expect(error).toContain("mcpServers.a.env.TOKEN must be string");
  expect(error).not.toContain("s3cret-value");
});

test.for([
  ["DT_MAX_STEPS", "many", "must be integer"],
  ["DT_MODEL_SILENCE_MS", "300001", "must be <= 300000"],
  ["DT_MODE", "fast", "must be one of default, auto-edit, yolo, plan"],
] as const)(
  "a fault in a variable is reported with the variable's name: %s",
  async ([name, value, problem]) => {
    await using temp = await openTempHome();

    const loading = load(temp, { environment: { [name]: value } });

    await expect(loading).rejects.toThrow(`${name}: ${problem}`);
  },
);

test("unknown and faulty keys in files of Gemini CLI are ignored with a warning", async () => {
  await using temp = await openTempHome();
  const file = await temp.write(
    gemini,
    "model: gemini-2.5-pro\ntheme: dark\nmode: [wrong]\nmcpServers:\n  good:\n    httpUrl: https://host/mcp\n    timeout: 5\n    trust: true\n  bad: {}\n",
  );

  const { settings, warnings } = await load(temp);

  expect(settings).toEqual({
    model: "gemini-2.5-pro",
    mcpServers: { good: { url: "https://host/mcp", timeoutMs: 5 } },
  });
  expect(warnings.map(({ line, key }) => [line, key]).toSorted()).toEqual([
    [2, "theme"],
    [3, "mode"],
    [9, "mcpServers.bad"],
  ]);
  expect(warnings.every((warning) => warning.file === file)).toBe(true);
});

test.each(["on", "off", 512])('the setting "thinking" may be %s', async (thinking) => {
  await using temp = await openTempHome();
  await temp.write(ours, `thinking: ${thinking}`);

  expect((await load(temp)).settings).toEqual({ thinking });
});

test.each(["maybe", "0", "true"])('the setting "thinking" must not be %s', async (thinking) => {
  await using temp = await openTempHome();
  const file = await temp.write(ours, `thinking: ${thinking}`);

  await expect(load(temp)).rejects.toThrow(
    `${file}:1:1: thinking must be on or off or a whole number of at least 1`,
  );
});

describe("the documented keys of Gemini CLI", () => {
  const documented =
    "model: { name: gemini-2.5-flash }\ntools:\n  core: [read_file]\n  exclude: [web_fetch]\n  autoAccept: true\ncontext: { fileName: CONTEXT.md }\n";
  const settings = {
    model: "gemini-2.5-flash",
    allowedTools: ["read_file"],
    excludedTools: ["web_fetch"],
    context: { fileNames: ["CONTEXT.md"] },
  };

  test("Gemini CLI's keys are read, and autoAccept in the person's file causes a warning [SRV-11]", async () => {
    await using temp = await openTempHome();
    await temp.write(personalGemini, documented);

    const loaded = await load(temp);

    expect(loaded.settings).toEqual({ ...settings, mode: "yolo" });
    expect(loaded.warnings).toMatchObject([
      { line: 5, key: "tools.autoAccept", problem: expect.stringContaining("without a question") },
    ]);
  });

  test("items of the wrong type in a list of Gemini CLI are left out, with a warning [SRV-11]", async () => {
    await using temp = await openTempHome();
    await temp.write(personalGemini, "tools: { exclude: [web_fetch, 3] }");

    const loaded = await load(temp);

    expect(loaded.settings).toEqual({ excludedTools: ["web_fetch"] });
    expect(loaded.warnings).toMatchObject([{ key: "tools.exclude.1", problem: "must be string" }]);
  });

  test("autoAccept in a workspace is ignored, even if the workspace is trusted [SRV-11, SEC-08]", async () => {
    await using temp = await openTempHome();
    await temp.write(gemini, documented);

    const loaded = await load(temp);

    expect(loaded.settings).toEqual(settings);
    expect(loaded.warnings).toMatchObject([
      { line: 5, key: "tools.autoAccept", problem: expect.stringContaining("is ignored") },
    ]);
  });

  test("dt's own file overrides Gemini CLI's file, which may also use dt's keys [SRV-11]", async () => {
    await using temp = await openTempHome();
    await temp.write(personalGemini, "tools: { autoAccept: true }\ncontext: { fileNames: [A.md] }");
    await temp.write(personal, "mode: plan");

    const loaded = await load(temp);

    expect(loaded.settings).toEqual({ mode: "plan", context: { fileNames: ["A.md"] } });
  });

  test("a faulty key of Gemini CLI is ignored, and the warning contains Gemini CLI's key [SRV-11]", async () => {
    await using temp = await openTempHome();
    await temp.write(
      personalGemini,
      "model: { name: 5, other: 1 }\ntools: { core: all, autoAccept: maybe, sandbox: true }\ncontext: { fileName: a/b }",
    );

    const loaded = await load(temp);

    expect(loaded.warnings.map(({ key }) => key).toSorted()).toEqual([
      "context.fileName.0",
      "model.name",
      "model.other",
      "tools.autoAccept",
      "tools.core",
      "tools.sandbox",
    ]);
    expect(loaded.settings).toEqual({ context: {} });
  });
});

test("variables in the settings of MCP servers are expanded from the environment", async () => {
  await using temp = await openTempHome();
  await temp.write(
    personal,
    `mcpServers: { a: { command: x, env: { TOKEN: '\${GITHUB_TOKEN}' } }, b: { url: '\${B_URL}/mcp' } }`,
  );

  const { settings, warnings } = await load(temp, {
    environment: { GITHUB_TOKEN: "t0ken", B_URL: "http://127.0.0.1:1" },
  });

  expect(settings.mcpServers).toEqual({
    a: { command: "x", env: { TOKEN: "t0ken" } },
    b: { url: "http://127.0.0.1:1/mcp" },
  });
  expect(warnings).toEqual([]);
});

test("a variable that is not set becomes empty in the settings and causes a warning", async () => {
  await using temp = await openTempHome();
  const file = await temp.write(
    personal,
    `mcpServers:\n  a: { command: x, env: { TOKEN: '\${GITHUB_TOKEN}' } }`,
  );

  const { settings, warnings } = await load(temp);

  expect(settings.mcpServers).toEqual({ a: { command: "x", env: { TOKEN: "" } } });
  expect(warnings).toEqual([
    {
      file,
      line: 2,
      column: 3,
      key: "mcpServers.a",
      problem: "uses the variable GITHUB_TOKEN, which is not set",
    },
  ]);
});

test("an empty file is valid, and an alias bomb is refused", async () => {
  await using temp = await openTempHome();
  await temp.write(ours, "# nothing yet\n");
  expect((await load(temp)).settings).toEqual({});
  const bomb = Array.from({ length: 20 }, (_, n) =>
    n === 0 ? "a0: &a0 [x, x]" : `a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}x]`,
  );
  await temp.write(ours, bomb.join("\n"));

  await expect(load(temp)).rejects.toThrow("Excessive alias count");
});

test("every other source overrides the file with the defaults", async () => {
  await using temp = await openTempHome();
  const defaultsFile = await temp.write(
    "defaults.yaml",
    "model: default\nmode: plan\nlimits: { maxSteps: 3 }",
  );
  await temp.write(personalGemini, "model: { name: personal }");

  const { settings, sources } = await load(temp, { defaultsFile });

  expect(settings).toEqual({ model: "personal", mode: "plan", limits: { maxSteps: 3 } });
  expect(sources.at(-1)).toBe(defaultsFile);
});

test("settings that the policy forbids are left out of every file, with a warning [SEC-10]", async () => {
  await using temp = await openTempHome();
  const servers = "mcpServers: { program: { command: x }, address: { url: 'https://host/mcp' } }";
  await temp.write(ours, `model: big\n${servers}`);
  await temp.write(personal, `model: small\n${servers.replaceAll("address", "other")}`);

  const { settings, warnings } = await load(temp, {
    policy: { models: ["small*"], mcpServers: { workspaces: "addresses", host: "none" } },
  });

  expect(settings).toEqual({
    model: "small",
    mcpServers: { address: { url: "https://host/mcp" } },
  });
  expect(warnings.map(({ key, problem }) => `${key} ${problem}`)).toEqual([
    "model is ignored, because the policy of this server does not allow the model big; it allows small*",
    "mcpServers.program is ignored, because the policy of this server does not allow it",
    "mcpServers.program is ignored, because the policy of this server does not allow it",
    "mcpServers.other is ignored, because the policy of this server does not allow it",
  ]);
});

test("a workspace cannot change the sandbox, even if it is trusted [SEC-08]", async () => {
  await using temp = await openTempHome();
  const file = await temp.write(ours, "sandbox: { program: none, writable: [/] }\nmode: plan");
  await temp.write(personal, "sandbox: { program: bwrap, readable: [~/.gitconfig] }");

  const { settings, warnings } = await load(temp, { environment: { DT_SANDBOX_NETWORK: "on" } });

  expect(settings).toEqual({
    mode: "plan",
    sandbox: { program: "bwrap", network: "on", readable: ["~/.gitconfig"] },
  });
  const problem = "is ignored, because the settings of a workspace cannot change the sandbox";
  expect(warnings).toEqual([{ file, key: "sandbox", problem }]);
});
