// A stand-in for VS Code, in which the bundled extension runs.
import { EventEmitter, once } from "node:events";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { expect } from "vitest";

const EXTENSION = path.resolve(import.meta.dirname, "../../../examples/vscode");

/** A window with the extension. */
export interface VscodeWindow {
  readonly editor: ReturnType<typeof createVscodeStandIn>;
  /** Ends the extension, as closing or reloading the window does. */
  close(): void;
}

/** Opens a window with the extension. The extension stores its session and edits in `workspaceState`. */
export async function openWindow(
  url: string,
  workspacePath: string,
  workspaceState: WindowState,
): Promise<VscodeWindow> {
  const editor = createVscodeStandIn(url, workspacePath);
  const { activate } = await loadBundle(editor.vscode);
  const subscriptions: { dispose(): unknown }[] = [];
  const { secrets } = workspaceState;
  activate({ extensionUri: { path: "/extension" }, workspaceState, secrets, subscriptions });
  editor.openView();
  return {
    editor,
    close() {
      for (const { dispose } of subscriptions) dispose();
    },
  };
}

/** State that VS Code keeps for a workspace while its window is closed. */
export interface WindowState {
  get(key: string): unknown;
  update(key: string, value: unknown): Promise<void>;
  readonly secrets: {
    get(key: string): Promise<string | undefined>;
    store(key: string, value: string): Promise<void>;
  };
}

export function createState(): WindowState {
  const stored = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  return {
    get: (key) => stored.get(key),
    update: async (key, value) => void stored.set(key, value),
    secrets: {
      get: async (key) => secrets.get(key),
      store: async (key, value) => void secrets.set(key, value),
    },
  };
}

type ChatAction = {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly optionId?: string;
};
type ChatState = { readonly turn?: string; readonly items: readonly unknown[] };
type Activate = (context: object) => void;

let bundle: Promise<string> | undefined;

/** Bundles the extension to CommonJS and loads it as VS Code does. */
async function loadBundle(vscode: unknown): Promise<{ activate: Activate }> {
  bundle ??= bundleExtension();
  const text = await bundle;
  const require = createRequire(path.join(EXTENSION, "dist/extension.cjs"));
  const module = { exports: {} as { activate: Activate } };
  const run = new Function("require", "module", "exports", text);
  run((name: string) => (name === "vscode" ? vscode : require(name)), module, module.exports);
  return module.exports;
}

async function bundleExtension(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: EXTENSION,
    entryPoints: ["src/extension.ts"],
    outfile: "unwritten.cjs",
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
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
  let activeTextEditor: object | undefined;
  let diagnostics: readonly (readonly [object, readonly object[]])[] = [];

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
    languages: { getDiagnostics: () => diagnostics },
    window: {
      get activeTextEditor() {
        return activeTextEditor;
      },
      visibleTextEditors: [],
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
    /** Types a text into a file without saving it, selects a part of it, and shows a problem in it. */
    type(file: string, text: string, selected: string) {
      const uri = { scheme: "file", path: file, fsPath: file };
      const line = text.slice(0, text.indexOf(selected)).split("\n").length - 1;
      const selection = { start: { line }, end: { line } };
      const document = {
        uri,
        languageId: "plaintext",
        isDirty: true,
        getText: (range?: object) => (range === selection ? selected : text),
      };
      activeTextEditor = { document, selection };
      const problem = { message: "a typo", severity: 1, source: "spelling", range: selection };
      diagnostics = [[uri, [problem]]];
    },
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
