import type { FileDiff } from "@dt/client";
import type { ChatState } from "./chat-message.js";

/** All that the chat asks of an editor. VS Code's is in extension.ts; a test has its own. */
export interface EditorPort {
  /** Shows the chat as it is now. */
  showChat(chat: ChatState): void;
  /** Shows a proposed change beside what is there; its right side can be edited. */
  openDiff(toolCallId: string, diff: FileDiff): Promise<void>;
  /** The text on the right side now, or what was saved of it; undefined if there is neither. */
  proposedText(toolCallId: string): string | undefined;
  closeDiff(toolCallId: string): Promise<void>;
  /** Tells the person something in passing. */
  notify(message: string): void;
}
