import type { QueuedPrompt, ToolCall } from "@dt/schema";
import type { ScreenState } from "./screen-state.js";

/** What a key brings about beyond the screen. */
export type Effect =
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "withdraw"; readonly prompt: QueuedPrompt }
  | { readonly type: "answer"; readonly toolCallId: string; readonly optionId: string }
  | { readonly type: "edit-proposal"; readonly toolCall: ToolCall }
  | { readonly type: "cancel" }
  /** Lets a text that was cleared be recalled. */
  | { readonly type: "keep-draft"; readonly text: string }
  | { readonly type: "set-mode"; readonly mode: string }
  | { readonly type: "leave"; readonly exitCode: number }
  | { readonly type: "open-pager" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" };

/** What a key comes to. */
export interface KeyOutcome {
  readonly state: ScreenState;
  readonly effect?: Effect;
}
