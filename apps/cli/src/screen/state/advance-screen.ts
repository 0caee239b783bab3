import type { ToolCall } from "@dt/schema";
import { isKey, type Key } from "../../keys/decode-keys.js";
import { textAtEnd } from "../../prompt/edit-text.js";
import { answerHeldKey, reduceKey } from "../keys/reduce-key.js";
import { withText } from "../keys/reduce-prompt-key.js";
import type { Effect } from "./effect.js";
import {
  type KeyContext,
  type QuestionVisibility,
  type ScreenState,
  withoutChosenMode,
  withoutLeaving,
  withQuestion,
  withRefusedAnswer,
  withShownQuestion,
} from "./screen-state.js";

/** One thing that happens to a screen. */
export type ScreenStep =
  | { readonly type: "key"; readonly key: Key; readonly context: KeyContext }
  /** The session changed; `question` is its first open question. */
  | { readonly type: "session-changed"; readonly question: ToolCall | undefined }
  | { readonly type: "drawn"; readonly visibility: QuestionVisibility; readonly now: number }
  | { readonly type: "files-listed"; readonly files: readonly string[] }
  /** No other Ctrl-C followed in time. */
  | { readonly type: "leaving-over" }
  /** No other character followed the key in `heldKey` of the dialog in time. */
  | { readonly type: "held-key-over"; readonly question: ToolCall | undefined }
  /** No other Shift-Tab followed in time. */
  | { readonly type: "mode-chosen" }
  | { readonly type: "mode-set"; readonly mode: string }
  | { readonly type: "answer-refused"; readonly toolCallId: string }
  /** A text that was not sent returns to the input field, before any text that is there. */
  | { readonly type: "put-back"; readonly text: string };

/** The state after a step, and the effects of the step in their order. */
export interface ScreenMove {
  readonly state: ScreenState;
  readonly effects: readonly Effect[];
}

/** Applies one step to the state. Pure. */
export function advanceScreen(state: ScreenState, step: ScreenStep): ScreenMove {
  switch (step.type) {
    case "key":
      return advanceByKey(state, step.key, step.context);
    case "session-changed":
      return withoutEffects(withQuestion(state, step.question));
    case "drawn":
      return withoutEffects(withShownQuestion(state, step.visibility, step.now));
    case "files-listed":
      return withoutEffects({ ...state, files: step.files });
    case "leaving-over":
      return withoutEffects(withoutLeaving(state));
    case "held-key-over": {
      const { state: next, effect } = answerHeldKey(state, step.question);
      return { state: next, effects: effect === undefined ? [] : [effect] };
    }
    case "mode-chosen":
      return sendMode(state);
    case "mode-set":
      return withoutEffects(withModeSet(state, step.mode));
    case "answer-refused":
      return withoutEffects(withRefusedAnswer(state, step.toolCallId));
    case "put-back": {
      const { text: written } = state.edit;
      const text = written === "" ? step.text : `${step.text}\n${written}`;
      return withoutEffects(withText(state, textAtEnd(text)));
    }
  }
}

function advanceByKey(before: ScreenState, key: Key, context: KeyContext): ScreenMove {
  const { state, effect } = reduceKey(before, key, context);
  // Any key except Shift-Tab confirms the chosen mode, which is sent before the effect of that key.
  const chosen = isKey(key, "shift-tab") ? withoutEffects(state) : sendMode(state);
  if (effect === undefined) return chosen;
  if (effect.type !== "withdraw") return { ...chosen, effects: [...chosen.effects, effect] };
  const { messageId } = effect.prompt;
  if (state.withdrawn.includes(messageId)) return chosen;
  return {
    state: { ...chosen.state, withdrawn: [...state.withdrawn, messageId] },
    effects: [...chosen.effects, effect],
  };
}

/** Sends the chosen mode, unless it was already sent. */
function sendMode(state: ScreenState): ScreenMove {
  const { chosenMode: mode, sentMode } = state;
  if (mode === undefined || mode === sentMode) return withoutEffects(state);
  return { state: { ...state, sentMode: mode }, effects: [{ type: "set-mode", mode }] };
}

function withModeSet(state: ScreenState, mode: string): ScreenState {
  const { sentMode, ...rest } = state.chosenMode === mode ? withoutChosenMode(state) : state;
  return sentMode === mode || sentMode === undefined ? rest : { ...rest, sentMode };
}

function withoutEffects(state: ScreenState): ScreenMove {
  return { state, effects: [] };
}
