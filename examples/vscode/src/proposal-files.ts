// The proposals as VS Code reads and writes them.
import * as vscode from "vscode";
import type { Proposals } from "./proposals.js";

/** What is there now: the left side, which nobody edits. */
export function beforeProvider(proposals: Proposals): vscode.TextDocumentContentProvider {
  return { provideTextDocumentContent: ({ path }) => proposals.read(path) ?? "" };
}

/** What is proposed: the right side, which the person may edit before it is approved. */
export function proposalProvider(proposals: Proposals): vscode.FileSystemProvider {
  const changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const read = (uri: vscode.Uri) => {
    const text = proposals.read(uri.path);
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return new TextEncoder().encode(text);
  };
  const refuse = (uri: vscode.Uri): never => {
    throw vscode.FileSystemError.NoPermissions(uri);
  };
  return {
    onDidChangeFile: changes.event,
    watch: () => new vscode.Disposable(() => {}),
    stat: (uri) => ({
      type: vscode.FileType.File,
      ctime: 0,
      mtime: Date.now(),
      size: read(uri).length,
    }),
    readFile: read,
    writeFile: ({ path }, content) => proposals.write(path, new TextDecoder().decode(content)),
    readDirectory: () => [],
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
}
