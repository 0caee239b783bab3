// Loads the bundle as VS Code does, with a real agent and a stand-in for the module `vscode`.
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openWorkspace,
} from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { createAgentServer, openMemoryStore } from "@dt/server";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("the bundled extension runs a prompt and writes the change that the person edited [PKG-03, RFC-21]", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "notes.txt"), "one\n");
  const server = await serve(workspace.root);
  const editor = createVscodeStandIn(server.url, workspace.root);
  const { activate } = await loadBundle(editor.vscode);
  const subscriptions: { dispose(): unknown }[] = [];

  activate({ extensionUri: { path: "/extension" }, workspaceState: createState(), subscriptions });
  editor.openView();
  editor.act({ type: "submit", text: "edit notes.txt: one -> two then say done" });
  await editor.until(() => editor.diffs.length > 0);
  const [diff] = editor.diffs;
  expect([editor.read(diff?.before), editor.read(diff?.after)]).toEqual(["one\n", "two\n"]);
  editor.edit(diff?.after, "three\n");
  await editor.run("dt.approve", diff?.after);
  await editor.until(() => editor.chat?.turn === "completed");

  expect(await workspace.read("notes.txt")).toBe("three\n");
  await editor.until(() => editor.closedTabs === 1);
  for (const { dispose } of subscriptions) dispose();
  await server.close();
});

test("a reloaded window shows the conversation and can answer its open question [PKG-03]", async () => {
  await using workspace = await openTempWorkspace();
  const server = await serve(workspace.root);
  const workspaceState = createState();
  const open = () => openWindow(server.url, workspace.root, workspaceState);
  const first = await open();
  first.editor.act({ type: "submit", text: "say before then write a.txt: kept" });
  await first.editor.until(() => first.editor.diffs.length > 0);
  first.close();

  const second = await open();
  second.editor.act({ type: "ready" });
  await second.editor.until(() => second.editor.diffs.length > 0);
  expect(second.editor.chat?.turn).toBe("asking");
  expect(JSON.stringify(second.editor.chat?.items)).toContain('"text":"before"');
  await second.editor.run("dt.approve", second.editor.diffs[0]?.after);
  await second.editor.until(() => second.editor.chat?.turn === "completed");
  second.close();
  await server.close();

  expect(await workspace.read("a.txt")).toBe("kept");
});

test("an edit that was saved in the diff editor can be approved after a reload [PKG-03, RFC-21]", async () => {
  await using workspace = await openTempWorkspace();
  const server = await serve(workspace.root);
  const workspaceState = createState();
  const open = () => openWindow(server.url, workspace.root, workspaceState);
  const first = await open();
  first.editor.act({ type: "submit", text: "write a.txt: theirs" });
  await first.editor.until(() => first.editor.diffs.length > 0);
  first.editor.save(first.editor.diffs[0]?.after, "mine");
  first.close();

  const second = await open();
  second.editor.act({ type: "ready" });
  await second.editor.until(() => second.editor.diffs.length > 0);
  const after = second.editor.diffs[0]?.after;
  expect(second.editor.read(after)).toBe("mine");
  await second.editor.run("dt.approve", after);
  await second.editor.until(() => second.editor.chat?.turn === "completed");
  second.close();
  await server.close();

  expect(await workspace.read("a.txt")).toBe("mine");
});

/** Opens a window with the extension. The extension stores its session and edits in `workspaceState`. */
async function openWindow(url: string, workspacePath: string, workspaceState: object) {
  const editor = createVscodeStandIn(url, workspacePath);
  const { activate } = await loadBundle(editor.vscode);
  const subscriptions: { dispose(): unknown }[] = [];
  activate({ extensionUri: { path: "/extension" }, workspaceState, subscriptions });
  editor.openView();
  return { editor, close: () => subscriptions.map(({ dispose }) => dispose()) };
}

/** A stand-in for VS Code's workspace state. */
function createState() {
  const stored = new Map<string, unknown>();
  return {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
}

function serve(workspacePath: string) {
  return createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspacePath],
    defaultSettings: { workspacePath, allowedTools: [], mcpServers: {} },
    openAgent: async ({ settings, ledger, journal }) =>
      await createSession({
        engine: createModelEngine({
          model: createOfflineModel(),
          tools: fileTools,
          workspace: await openWorkspace(settings.workspacePath),
        }),
        ledger,
        journal,
      }),
  });
}

type ChatAction = { readonly type: string; readonly text?: string };
type ChatState = { readonly turn?: string; readonly items: readonly unknown[] };
type Activate = (context: object) => void;

/** Bundles the extension to CommonJS and loads it as VS Code does. */
async function loadBundle(vscode: unknown): Promise<{ activate: Activate }> {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-extension-"));
  const outfile = path.join(directory, "extension.cjs");
  try {
    await build({
      entryPoints: [path.resolve(import.meta.dirname, "../../examples/vscode/src/extension.ts")],
      outfile,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "cjs",
      external: ["vscode"],
      logLevel: "silent",
    });
    const require = createRequire(outfile);
    const module = { exports: {} as { activate: Activate } };
    const run = new Function("require", "module", "exports", readFileSync(outfile, "utf8"));
    run((name: string) => (name === "vscode" ? vscode : require(name)), module, module.exports);
    return module.exports;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Uri {
  readonly scheme: string;
  readonly path: string;
}

/** Creates a stand-in for VS Code's module with the functions that the extension uses. */
function createVscodeStandIn(url: string, workspacePath: string) {
  const changed = new EventEmitter();
  const commands = new Map<string, (uri?: Uri) => unknown>();
  const documents: {
    readonly uri: Uri;
    text: string;
    getText(): string;
    save(): Promise<boolean>;
  }[] = [];
  const diffs: { readonly before: Uri; readonly after: Uri }[] = [];
  const none = { dispose: () => {} };
  let content: { provideTextDocumentContent(uri: Uri): string } | undefined;
  let files:
    | { readFile(uri: Uri): Uint8Array; writeFile(uri: Uri, content: Uint8Array): void }
    | undefined;
  let provider: { resolveWebviewView(view: object): void } | undefined;
  let act: (action: ChatAction) => void = () => {};
  let chat: ChatState | undefined;
  let closedTabs = 0;

  class TabInputTextDiff {
    constructor(
      readonly original: Uri,
      readonly modified: Uri,
    ) {}
  }
  const read = (uri: Uri | undefined) => {
    if (uri?.scheme === "dt-before") return content?.provideTextDocumentContent(uri);
    return uri && new TextDecoder().decode(files?.readFile(uri));
  };
  const vscode = {
    Uri: {
      from: (parts: Uri) => parts,
      joinPath: (base: Uri, ...names: string[]) => ({
        ...base,
        path: path.posix.join(base.path, ...names),
      }),
    },
    Disposable: class {
      dispose() {}
    },
    EventEmitter: class {
      event = () => none;
    },
    FileType: { File: 1 },
    FileSystemError: { FileNotFound: Error, NoPermissions: Error },
    TabInputTextDiff,
    workspace: {
      workspaceFolders: [{ uri: { fsPath: workspacePath } }],
      textDocuments: documents,
      getConfiguration: () => ({ get: () => url }),
      registerTextDocumentContentProvider: (_: string, given: typeof content) => {
        content = given;
        return none;
      },
      registerFileSystemProvider: (_: string, given: typeof files) => {
        files = given;
        return none;
      },
    },
    window: {
      activeTextEditor: undefined,
      showInformationMessage: () => {},
      registerWebviewViewProvider: (_: string, given: typeof provider) => {
        provider = given;
        return none;
      },
      tabGroups: {
        get all() {
          return [
            {
              tabs: diffs.map(({ before, after }) => ({
                input: new TabInputTextDiff(before, after),
              })),
            },
          ];
        },
        async close(tabs: readonly unknown[]) {
          closedTabs += tabs.length;
          changed.emit("change");
        },
      },
    },
    commands: {
      registerCommand: (name: string, command: (uri?: Uri) => unknown) => {
        commands.set(name, command);
        return none;
      },
      async executeCommand(name: string, before: Uri, after: Uri) {
        expect(name).toBe("vscode.diff");
        const document = {
          uri: after,
          text: read(after) ?? "",
          getText: () => document.text,
          save: async () => true,
        };
        documents.push(document);
        diffs.push({ before, after });
        changed.emit("change");
      },
    },
  };
  const webview = {
    options: {},
    html: "",
    cspSource: "test:",
    asWebviewUri: ({ path: file }: Uri) => `test:${file}`,
    onDidReceiveMessage: (listener: typeof act) => {
      act = listener;
    },
    async postMessage(next: ChatState) {
      // VS Code clones each message that it sends to a view. Cloning throws if a message contains a function.
      chat = structuredClone(next);
      changed.emit("change");
    },
  };
  return {
    vscode,
    diffs,
    read,
    get chat() {
      return chat;
    },
    get closedTabs() {
      return closedTabs;
    },
    openView() {
      provider?.resolveWebviewView({ webview, onDidDispose: () => none });
      expect(webview.html).toContain('src="test:/extension/dist/webview.js"');
    },
    act: (action: ChatAction) => act(action),
    edit(uri: Uri | undefined, text: string) {
      for (const document of documents) if (document.uri === uri) document.text = text;
    },
    save(uri: Uri | undefined, text: string) {
      if (uri !== undefined) files?.writeFile(uri, new TextEncoder().encode(text));
    },
    run: async (name: string, uri: Uri | undefined) => await commands.get(name)?.(uri),
    async until(fits: () => boolean) {
      while (!fits()) await once(changed, "change");
    },
  };
}
