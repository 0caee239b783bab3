import { OPTION_IDS, type ToolCall } from "@dt/schema";
import { isKey, type Key } from "../../keys/decode-keys.js";
import { textAtEnd } from "../../prompt/edit-text.js";
import { unfoldPastes } from "../../prompt/fold-paste.js";
import type { KeyOutcome } from "../state/effect.js";
import {
  type DialogState,
  isAnswerable,
  isUnread,
  type KeyContext,
  type ScreenState,
} from "../state/screen-state.js";
import { reducePromptKey } from "./reduce-prompt-key.js";

/** Notice that is shown if the terminal is too small for the question. */
export const TOO_SMALL = "make the window larger, or press Ctrl-O to see the question";

/** Notice that is shown if the person wants to allow a call but has seen too few details of the call. */
const NOT_VISIBLE = "press Ctrl-O to see the whole question before you allow it";

/**
 * Applies a key to the dialog that has the focus. Enter answers at once, or a notice says why Enter does not
 * answer. A character that can answer, such as a number, takes effect after a short delay; if more text
 * follows during the delay, the character and that text are the start of a prompt. Any other text goes to
 * the input field and moves the focus there. Pure.
 */
export function reduceDialogKey(
  state: ScreenState,
  key: Key,
  question: ToolCall,
  context: KeyContext & { readonly dialog: DialogState; readonly heldKey: string | undefined },
): KeyOutcome {
  const { dialog, heldKey } = context;
  const options = question.confirmationRequest?.options ?? [];
  const unfocused: ScreenState = { ...state, dialog: { ...dialog, hasFocus: false } };
  if (isKey(key, "up")) return move(state, dialog, options.length, -1);
  if (isKey(key, "down")) return move(state, dialog, options.length, 1);
  if (isKey(key, "tab")) return { state: unfocused };
  const isReady = isAnswerable(dialog, context.now);
  if (isKey(key, "enter")) {
    if (heldKey !== undefined) return answerWith(heldKey, state, question, dialog);
    const refusal = refusalOfEnter(state, dialog, isReady);
    if (refusal !== undefined) return { state: { ...state, notice: refusal } };
    return choose(dialog.index, state, question, dialog);
  }
  if (key.type !== "text" && key.type !== "paste") return { state };
  if (heldKey !== undefined) {
    const begun = reducePromptKey(unfocused, { type: "text", text: heldKey }, context);
    return reducePromptKey(begun.state, key, context);
  }
  if (isReady && key.type === "text" && isAnswer(key.text, state, question)) {
    const index = /\d/.test(key.text) ? Number(key.text) - 1 : dialog.index;
    return { state: { ...state, dialog: { ...dialog, index, heldKey: key.text } } };
  }
  return reducePromptKey(unfocused, key, context);
}

/** Answers the question with a key that {@link reduceDialogKey} has delayed. Pure. */
export function answerWith(
  character: string,
  state: ScreenState,
  question: ToolCall,
  dialog: DialogState,
): KeyOutcome {
  if (character === "e") return { state, effect: { type: "edit-proposal", toolCall: question } };
  if (character === "r") return refuseWithText(state, question, dialog);
  return choose(Number(character) - 1, state, question, dialog);
}

/** Refuses the call. The typed text is the reason, which the model reads. */
function refuseWithText(
  state: ScreenState,
  { toolCallId }: ToolCall,
  dialog: DialogState,
): KeyOutcome {
  return {
    state: {
      ...state,
      edit: textAtEnd(""),
      pastes: [],
      dialog: { ...dialog, hasFocus: false, isAnswered: true },
    },
    effect: {
      type: "answer",
      toolCallId,
      optionId: OPTION_IDS.cancel,
      reason: unfoldPastes(state.edit.text, state.pastes).trim(),
    },
  };
}

function choose(
  index: number,
  state: ScreenState,
  { toolCallId, confirmationRequest }: ToolCall,
  dialog: DialogState,
): KeyOutcome {
  const option = confirmationRequest?.options[index];
  if (option === undefined) return { state };
  // A person can refuse any question, but can allow a call only if enough of its details were visible.
  if (option.id !== OPTION_IDS.cancel && isUnread(dialog)) {
    return { state: { ...state, notice: NOT_VISIBLE } };
  }
  return {
    // Keys that follow belong to the next prompt; they must not answer a second time.
    state: { ...state, dialog: { ...dialog, hasFocus: false, isAnswered: true } },
    effect: { type: "answer", toolCallId, optionId: option.id },
  };
}

function isAnswer(character: string, state: ScreenState, question: ToolCall): boolean {
  if (character === "e") return canEdit(question);
  if (character === "r") return canGiveReason(state.edit.text, question);
  const count = question.confirmationRequest?.options.length ?? 0;
  return /^[1-9]$/.test(character) && Number(character) <= count;
}

/** True if the typed text can be the reason of a refusal. */
export function canGiveReason(text: string, { confirmationRequest }: ToolCall): boolean {
  const options = confirmationRequest?.options ?? [];
  return text.trim() !== "" && options.some(({ id }) => id === OPTION_IDS.cancel);
}

/** True if the person may edit the proposed content. */
export function canEdit({ confirmationRequest }: ToolCall): boolean {
  return confirmationRequest?.details?.$case === "fileEditDetails";
}

/** Returns the reason why Enter does not answer the question; undefined if Enter answers. */
function refusalOfEnter(
  { edit }: ScreenState,
  dialog: DialogState,
  isReady: boolean,
): string | undefined {
  // Enter may be meant for the typed text, so it does not answer the question.
  if (edit.text !== "") {
    return "a number answers · r rejects with your text as the reason · Tab returns to the text";
  }
  if (isReady) return undefined;
  return dialog.isHidden === true
    ? TOO_SMALL
    : "the question is new; press Enter again to answer it";
}

function move(state: ScreenState, dialog: DialogState, size: number, step: number): KeyOutcome {
  const index = (dialog.index + step + size) % Math.max(1, size);
  return { state: { ...state, dialog: { ...dialog, index } } };
}
