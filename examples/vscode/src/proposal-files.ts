// Serves the proposals to VS Code as virtual documents.
import * as vscode from "vscode";
import type { Proposals } from "./proposals.js";

/** Creates the provider of the left side of a diff: the current content, which is read-only. */
export function beforeProvider(proposals: Proposals): vscode.TextDocumentContentProvider {
  return { provideTextDocumentContent: ({ path }) => proposals.read(path) ?? "" };
}

/** Creates the provider of the right side of a diff: the proposed content, which the person can edit. */
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
