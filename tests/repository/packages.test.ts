import { createModelEngine, createOfflineModel, createSession, fileTools } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { createAgentServer, openMemoryStore } from "@dt/server";
import { afterAll, expect, test } from "vitest";
import { openConsumerProject } from "./consumer-project.js";
import { entriesOf, LIBRARIES, readManifest, readText } from "./repository.js";

const project = await openConsumerProject();
afterAll(() => project[Symbol.dispose]());

/** A well-known export of each library. */
const KNOWN_EXPORTS = {
  schema: "parseMessage",
  "agent-core": "createSession",
  server: "createAgentServer",
  client: "connect",
  acp: "serveEditor",
} as const;

/** Libraries with only ES modules, because their dependencies have no others. */
const ESM_ONLY: readonly string[] = ["acp"];

const entries = LIBRARIES.flatMap((library) => entriesOf(readManifest(`packages/${library}`)));

test.each(LIBRARIES)("the tarball of %s has sources, build and README [PKG-02]", (library) => {
  const files = project.tarballs.get(library) ?? [];
  const built = (ESM_ONLY.includes(library) ? ["esm"] : ["esm", "cjs"]).flatMap((system) =>
    ["js", "js.map", "d.ts", "d.ts.map"].map((ending) => `dist/${system}/index.${ending}`),
  );
  const wanted = ["README.md", "LICENSE", "package.json", "src/index.ts", ...built];

  expect(wanted.filter((file) => !files.includes(file))).toEqual([]);
});

test.each(LIBRARIES)("the tarball of %s contains no tests", (library) => {
  const files = project.tarballs.get(library) ?? [];

  expect(files.filter((file) => /\.(test|test-d|prove|bench)\./.test(file))).toEqual([]);
});

test("every entry of an installed library loads with import [PKG-02, PKG-03]", async () => {
  project.write("load.mjs", `${entries.map(importLine).join("\n")}\n${printKinds()}`);

  expect(JSON.parse(await project.node("load.mjs"))).toEqual(knownKinds());
});

test("every entry of an installed library loads with require [PKG-02, PKG-03]", async () => {
  project.write("load.cjs", `${entries.map(requireLine).join("\n")}\n${printKinds()}`);

  expect(JSON.parse(await project.node("load.cjs"))).toEqual(knownKinds());
});

test("an installed library type-checks in ES modules and in CommonJS [PKG-03, PKG-04]", async () => {
  project.write("use.mts", `${entries.map(importLine).join("\n")}\n${typedUses()}`);
  project.write("use.cts", `${entries.map(importLine).join("\n")}\n${typedUses()}`);

  expect(await project.typecheck(["use.mts", "use.cts"])).toBe("");
});

test("a plugin can emit declarations even if @dt/schema is installed below @dt/client [PKG-03, PKG-04]", async () => {
  project.nest("nested");
  project.write(
    "nested/plugin.mts",
    `import type { AgentClient, CommandRun, SessionEvent, TaskHandle } from "@dt/client";
export const card = (agent: AgentClient) => agent.card;
export const status = (run: CommandRun) => ({ status: run.status });
export const usage = (task: TaskHandle) => task.view().usage;
export const calls = (task: TaskHandle) => task.view().openCalls.map((call) => call.status);
export const pick = (event: SessionEvent) =>
  event.kind === "USER_PROMPT" || event.kind === "TEXT_CONTENT" ? event : undefined;
export const origin = (event: SessionEvent) =>
  event.kind === "USER_PROMPT" ? event.origin : undefined;
`,
  );

  expect(await project.typecheck(["nested/plugin.mts"])).toBe("");
});

test("a wrong use of an installed library does not type-check [PKG-03, PKG-04]", async () => {
  project.write("wrong.mts", 'import { noSuchName } from "@dt/schema";\nnoSuchName();\n');

  expect(await project.typecheck(["wrong.mts"])).toContain("wrong.mts(1,10): error TS2305");
});

test("the guide's first program prints its documented output with the installed client [PKG-03]", async () => {
  const guide = readText("docs/guides/first-client.md");
  const program = /Save this as `plugin\.mjs`[\s\S]*?```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const [, request = "", printed] =
    /```text\n\$ node plugin\.mjs "(.*)"\n([\s\S]*?)```/.exec(guide) ?? [];
  await using workspace = await openTempWorkspace();
  const server = await createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [project.directory, workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    openAgent: async ({ ledger, journal }) =>
      await createSession({
        engine: createModelEngine({ model: createOfflineModel(), tools: fileTools, workspace }),
        ledger,
        journal,
      }),
  });
  project.write("plugin.mjs", program);

  const output = await project.node("plugin.mjs", request, server.url);
  await server.close();

  expect(output).toBe(printed);
});

function importLine(entry: string, index: number): string {
  return `import * as entry${index} from ${JSON.stringify(entry)};`;
}

function requireLine(entry: string, index: number): string {
  return `const entry${index} = require(${JSON.stringify(entry)});`;
}

function known(): [expression: string, name: string][] {
  return LIBRARIES.map((library) => {
    const index = entries.indexOf(`@dt/${library}`);
    return [`entry${index}.${KNOWN_EXPORTS[library]}`, KNOWN_EXPORTS[library]];
  });
}

function printKinds(): string {
  const pairs = known().map(([expression, name]) => `${name}: typeof ${expression}`);
  return `console.log(JSON.stringify({ ${pairs.join(", ")} }));\n`;
}

function knownKinds(): Record<string, string> {
  return Object.fromEntries(known().map(([, name]) => [name, "function"]));
}

function typedUses(): string {
  const uses = known().map(
    ([expression, name]) => `export const ${name}Parameters: number = ${expression}.length;`,
  );
  return `${uses.join("\n")}\nexport const loaded = [${entries.map((_, index) => `entry${index}`)}];\n`;
}
