import type { FileDiff } from "@dt/client";
import type { ChatState } from "./chat-message.js";

/** The editor functions that the chat needs. vscode-editor.ts implements them for VS Code. */
export interface EditorPort {
  /** Shows the current state of the chat. */
  showChat(chat: ChatState): void;
  /** Shows a proposed change beside the current content; the right side is editable. */
  openDiff(toolCallId: string, diff: FileDiff): Promise<void>;
  /**
   * Returns the text of the right side in the open editor, else the last saved text; undefined if neither
   * exists.
   */
  proposedText(toolCallId: string): string | undefined;
  closeDiff(toolCallId: string): Promise<void>;
  /** Shows a short notification. */
  notify(message: string): void;
}
