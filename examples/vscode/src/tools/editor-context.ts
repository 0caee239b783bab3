/** The state of an editor that its tools show to the agent. vscode-context.ts reads it from VS Code. */
export interface EditorContext {
  /** Returns the document in the active editor; undefined if no document is open. */
  activeDocument(): OpenDocument | undefined;
  /** Lists the problems of one file, or of all files if the path is undefined. */
  problems(filePath: string | undefined): readonly Problem[];
}

/** An open document, with changes that are not saved yet. */
export interface OpenDocument {
  readonly filePath: string;
  readonly language: string;
  readonly isUnsaved: boolean;
  text(): string;
  readonly selection: Selection;
}

/** The selected text. Lines are counted from 1; if the text is empty, the lines are those of the caret. */
export interface Selection {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
}

/** A problem that the editor shows in a file. The line is counted from 1. */
export interface Problem {
  readonly filePath: string;
  readonly line: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  readonly source?: string;
}
