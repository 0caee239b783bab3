import * as vscode from "vscode";
import type { EditorContext, Problem } from "./editor-context.js";

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

/** Reads the state of VS Code. A document that is not a file, such as a proposed change, is skipped. */
export const vscodeContext: EditorContext = {
  activeDocument() {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const editor = [activeTextEditor, ...visibleTextEditors].find(showsFile);
    if (editor === undefined) return undefined;
    const { document, selection } = editor;
    return {
      filePath: document.uri.fsPath,
      language: document.languageId,
      isUnsaved: document.isDirty,
      text: () => document.getText(),
      selection: {
        firstLine: selection.start.line + 1,
        lastLine: selection.end.line + 1,
        text: document.getText(selection),
      },
    };
  },
  problems(filePath) {
    return vscode.languages
      .getDiagnostics()
      .filter(([{ fsPath }]) => filePath === undefined || fsPath === filePath)
      .flatMap(([{ fsPath }, found]) => found.map((each) => toProblem(fsPath, each)));
  },
};

function showsFile(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  return editor !== undefined && ["file", "untitled"].includes(editor.document.uri.scheme);
}

function toProblem(filePath: string, diagnostic: vscode.Diagnostic): Problem {
  const { range, severity, message, source } = diagnostic;
  return {
    filePath,
    line: range.start.line + 1,
    severity: SEVERITIES[severity] ?? "hint",
    message,
    ...(source !== undefined && { source }),
  };
}
