import type { ConnectionState, SlashCommand, Turn, ViewItem } from "@dt/client";

/** The state of the chat, as plain data that can be posted to the webview. */
export interface ChatState {
  readonly items: readonly ViewItem[];
  /** Status of the turn; undefined before the first prompt. */
  readonly turn: Turn["status"] | undefined;
  readonly connection: ConnectionState["status"];
  readonly commands: readonly SlashCommand[];
  /** Message of the last failure. */
  readonly fault: string | undefined;
}

/** An action of the user in the webview. */
export type ChatAction =
  | { readonly type: "ready" }
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "answer"; readonly toolCallId: string; readonly optionId: string }
  | { readonly type: "open-diff"; readonly toolCallId: string }
  | { readonly type: "new" }
  | { readonly type: "stop" };
