import type { FileDiff } from "@dt/client";
import type { ChatState } from "./chat-message.js";

/** All that the chat asks of an editor. VS Code's is in extension.ts; a test has its own. */
export interface EditorPort {
  /** Shows the chat as it is now. */
  showChat(chat: ChatState): void;
  /** Shows a proposed change beside what is there; its right side can be edited. */
  openDiff(toolCallId: string, diff: FileDiff): Promise<void>;
  /** What stands on the right side now; undefined where no diff is open. */
  proposedText(toolCallId: string): string | undefined;
  closeDiff(toolCallId: string): Promise<void>;
  /** Tells the person something in passing. */
  notify(message: string): void;
}
