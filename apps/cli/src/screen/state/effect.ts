import type { QueuedPrompt, ToolCall } from "@dt/schema";
import type { ScreenState } from "./screen-state.js";

/** Work that a key causes outside the state of the screen. */
export type Effect =
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "withdraw"; readonly prompt: QueuedPrompt }
  | {
      readonly type: "answer";
      readonly toolCallId: string;
      readonly optionId: string;
      /** Reason for a refusal. */
      readonly reason?: string;
    }
  | { readonly type: "edit-proposal"; readonly toolCall: ToolCall }
  | { readonly type: "cancel" }
  /** Stores a cleared text, so that it can be recalled. */
  | { readonly type: "keep-draft"; readonly text: string }
  | { readonly type: "set-mode"; readonly mode: string }
  | { readonly type: "leave"; readonly exitCode: number }
  | { readonly type: "open-pager" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" };

/** The state after a key, and the effect of the key. */
export interface KeyOutcome {
  readonly state: ScreenState;
  readonly effect?: Effect;
}
