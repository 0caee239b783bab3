import type { ConnectionState, SlashCommand, Turn, ViewItem } from "@dt/client";

/** What the chat shows; plain data, so it crosses into the view as it is. */
export interface ChatState {
  readonly items: readonly ViewItem[];
  /** How the turn stands; undefined before the first prompt. */
  readonly turn: Turn["status"] | undefined;
  readonly connection: ConnectionState["status"];
  readonly commands: readonly SlashCommand[];
  /** What went wrong last. */
  readonly fault: string | undefined;
}

/** What the view tells the extension. */
export type ChatAction =
  | { readonly type: "ready" }
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "answer"; readonly toolCallId: string; readonly optionId: string }
  | { readonly type: "open-diff"; readonly toolCallId: string }
  | { readonly type: "new" }
  | { readonly type: "stop" };
