import { symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempHome, type TempHome } from "../settings/temp-home.test-support.js";
import { createExtensionSwitches } from "./extension-switches.js";
import { joinExtensions } from "./join-extensions.js";
import { type LoadExtensionsOptions, loadExtensions } from "./load-extensions.js";

function load({ home, workspace }: TempHome, more: Partial<LoadExtensionsOptions> = {}) {
  return loadExtensions({
    home,
    workspace,
    isTrusted: true,
    environment: {},
    disabled: [],
    ...more,
  });
}

const manifest = (name: string, more: object = {}) =>
  JSON.stringify({ name, version: "1.0.0", ...more });

test("extensions of the home and the workspace are sorted by name [SRV-12]", async () => {
  await using temp = await openTempHome();
  await temp.write(".config/dt/extensions/b/dt-extension.json", manifest("b"));
  await temp.write(".gemini/extensions/c/gemini-extension.json", manifest("c", { unknown: 1 }));
  await temp.write("work/.dt/extensions/a/dt-extension.json", manifest("a"));
  await temp.write(".config/dt/extensions/none/readme.md", "no extension");

  const { extensions, warnings } = await load(temp, { disabled: ["b"] });

  expect(warnings).toEqual([]);
  expect(
    extensions.map(({ name, version, isEnabled, path }) => ({ name, version, isEnabled, path })),
  ).toEqual([
    {
      name: "a",
      version: "1.0.0",
      isEnabled: true,
      path: path.join(temp.workspace, ".dt/extensions/a"),
    },
    {
      name: "b",
      version: "1.0.0",
      isEnabled: false,
      path: path.join(temp.home, ".config/dt/extensions/b"),
    },
    {
      name: "c",
      version: "1.0.0",
      isEnabled: true,
      path: path.join(temp.home, ".gemini/extensions/c"),
    },
  ]);
});

test("an untrusted workspace contributes no extensions [SEC-04]", async () => {
  await using temp = await openTempHome();
  await temp.write("work/.dt/extensions/a/dt-extension.json", "{ not even JSON");

  expect(await load(temp, { isTrusted: false })).toEqual({ extensions: [], warnings: [] });
});

test("an extension of the workspace replaces an extension of the same name in the home directory", async () => {
  await using temp = await openTempHome();
  await temp.write(".config/dt/extensions/a/dt-extension.json", manifest("a"));
  await temp.write("work/.dt/extensions/a/dt-extension.json", manifest("a", { version: "2.0.0" }));

  const { extensions } = await load(temp);

  expect(extensions.map(({ version }) => version)).toEqual(["2.0.0"]);
});

test("an extension contributes servers, context files, commands and excluded tools", async () => {
  await using temp = await openTempHome();
  const folder = path.join(temp.home, ".config/dt/extensions/full");
  await temp.write(
    ".config/dt/extensions/full/dt-extension.json",
    manifest("full", {
      mcpServers: {
        own: {
          command: "node",
          args: [`\${extensionPath}\${/}server.js`],
          cwd: `\${workspacePath}`,
        },
      },
      contextFileName: ["CONTEXT.md", "../../../secret.md", "link.md"],
      excludeTools: ["run_shell_command"],
    }),
  );
  await temp.write(".config/dt/extensions/full/CONTEXT.md", "be kind");
  await temp.write(".config/dt/extensions/full/commands/hello.md", "");
  const secret = await temp.write(".config/secret.md", "secret");
  await symlink(secret, path.join(folder, "link.md"));

  const { extensions } = await load(temp);

  expect(extensions).toEqual([
    {
      name: "full",
      version: "1.0.0",
      isEnabled: true,
      path: folder,
      mcpServers: {
        own: { command: "node", args: [path.join(folder, "server.js")], cwd: temp.workspace },
      },
      contextFiles: [path.join(folder, "CONTEXT.md")],
      excludedTools: ["run_shell_command"],
      commandsDirectory: path.join(folder, "commands"),
    },
  ]);
});

test.for([
  ["{", "", "is not JSON"],
  ['{"name": "a"}', "", "must have required property 'version'"],
  [manifest("../a"), "name", "must match"],
  [manifest("a", { mcpServer: {} }), "mcpServer", "is not a setting"],
  [manifest("a", { mcpServers: { s: {} } }), "mcpServers.s", "needs exactly one of"],
  [manifest("a", { excludeTools: "all" }), "excludeTools", "must be array"],
] as const)(
  "a fault in a manifest is reported with file and key, and other extensions load: %s",
  async ([text, key, problem]) => {
    await using temp = await openTempHome();
    const file = await temp.write(".config/dt/extensions/a/dt-extension.json", text);
    await temp.write(".config/dt/extensions/sound/dt-extension.json", manifest("sound"));

    const { extensions, warnings } = await load(temp);

    expect(extensions.map(({ name }) => name)).toEqual(["sound"]);
    expect(warnings).toEqual([{ file, key, problem: expect.stringContaining(problem) }]);
  },
);

test("disabled extensions are stored in a file until they are enabled again", async () => {
  await using temp = await openTempHome();
  const file = path.join(temp.home, ".config/dt/extensions.json");
  const switches = createExtensionSwitches({ file });

  await Promise.all([switches.disable("a"), switches.disable("b"), switches.disable("a")]);
  await switches.enable("b");

  expect(await createExtensionSwitches({ file }).disabled()).toEqual(["a"]);
});

test("settings and enabled extensions are merged, and settings have precedence", async () => {
  await using temp = await openTempHome();
  const servers = { shared: { command: "extension" }, own: { command: "own" } };
  const more = { mcpServers: servers, excludeTools: ["x"], contextFileName: "C.md" };
  await temp.write(".config/dt/extensions/on/dt-extension.json", manifest("on", more));
  await temp.write(".config/dt/extensions/off/dt-extension.json", manifest("off", more));
  const context = await temp.write(".config/dt/extensions/on/C.md", "on");
  const { extensions } = await load(temp, { disabled: ["off"] });

  const joined = joinExtensions(
    { mcpServers: { shared: { command: "settings" } }, excludedTools: ["x", "y"] },
    extensions,
  );

  expect(joined).toEqual({
    mcpServers: { shared: { command: "settings" }, own: { command: "own" } },
    excludedTools: ["x", "y"],
    contextFiles: [context],
    commandsDirectories: [],
  });
});
