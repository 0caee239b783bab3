import { optionIds, type ToolCall } from "@dt/schema";
import { isKey, type Key } from "../../keys/decode-keys.js";
import type { KeyOutcome } from "../state/effect.js";
import {
  type DialogState,
  isAnswerable,
  isUnread,
  type KeyContext,
  type ScreenState,
} from "../state/screen-state.js";
import { reducePromptKey } from "./reduce-prompt-key.js";

/** Said where the terminal is too small for a question to be seen. */
export const tooSmall = "make the window larger, or Ctrl-O to see it";

/** Said where something would be allowed that does not fit on the screen. */
const notSeen = "not all of it is seen here: Ctrl-O shows it, then it can be allowed";

/**
 * A key for the dialog that has the focus. It takes only what can be meant for it: whatever else is
 * typed goes to the prompt, and the focus with it. A letter that answers is held: one that another
 * follows at once begins a sentence. Pure.
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
  if (isReady && key.type === "text" && isAnswer(key.text, question)) {
    const index = key.text === "e" ? dialog.index : Number(key.text) - 1;
    return { state: { ...state, dialog: { ...dialog, index, heldKey: key.text } } };
  }
  return reducePromptKey(unfocused, key, context);
}

/** What a letter of {@link reduceDialogKey} does that was meant for the dialog. Pure. */
export function answerWith(
  letter: string,
  state: ScreenState,
  question: ToolCall,
  dialog: DialogState,
): KeyOutcome {
  if (letter === "e") return { state, effect: { type: "edit-proposal", toolCall: question } };
  return choose(Number(letter) - 1, state, question, dialog);
}

function choose(
  index: number,
  state: ScreenState,
  { toolCallId, confirmationRequest }: ToolCall,
  dialog: DialogState,
): KeyOutcome {
  const option = confirmationRequest?.options[index];
  if (option === undefined) return { state };
  // Nobody allows what they could not see; whoever refuses need not have seen it.
  if (option.id !== optionIds.cancel && isUnread(dialog)) {
    return { state: { ...state, notice: notSeen } };
  }
  return {
    // What is typed while the answer is on its way is the next prompt, not a second answer.
    state: { ...state, dialog: { ...dialog, hasFocus: false, isAnswered: true } },
    effect: { type: "answer", toolCallId, optionId: option.id },
  };
}

function isAnswer(letter: string, question: ToolCall): boolean {
  if (letter === "e") return canEdit(question);
  const count = question.confirmationRequest?.options.length ?? 0;
  return /^[1-9]$/.test(letter) && Number(letter) <= count;
}

/** Whether the person may write something else instead of what is proposed. */
export function canEdit({ confirmationRequest }: ToolCall): boolean {
  return confirmationRequest?.details?.$case === "fileEditDetails";
}

/** Why Enter does not answer; undefined where it does. */
function refusalOfEnter(
  { edit }: ScreenState,
  dialog: DialogState,
  isReady: boolean,
): string | undefined {
  // It may be meant for what is written below: a number says which answer is meant.
  if (edit.text !== "") return "a number answers · Tab goes back to what you are writing";
  if (isReady) return undefined;
  return dialog.isHidden === true ? tooSmall : "the question is new: Enter again answers it";
}

function move(state: ScreenState, dialog: DialogState, size: number, step: number): KeyOutcome {
  const index = (dialog.index + step + size) % Math.max(1, size);
  return { state: { ...state, dialog: { ...dialog, index } } };
}
