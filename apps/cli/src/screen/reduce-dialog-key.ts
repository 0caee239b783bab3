import type { ToolCall } from "@dt/schema";
import { isKey, type Key } from "../keys/decode-keys.js";
import type { KeyOutcome } from "./effect.js";
import { reducePromptKey } from "./reduce-prompt-key.js";
import {
  type DialogState,
  isAnswerable,
  type KeyContext,
  type ScreenState,
} from "./screen-state.js";

/** Said where the terminal is too small for a question to be seen. */
export const tooSmall = "make the window larger, or Ctrl-O to see it";

/**
 * A key for the dialog that has the focus. It takes only what can be meant for it: whatever else is
 * typed goes to the prompt, and the focus with it. Pure.
 */
export function reduceDialogKey(
  state: ScreenState,
  key: Key,
  question: ToolCall,
  context: KeyContext & { readonly dialog: DialogState },
): KeyOutcome {
  const { dialog } = context;
  const options = question.confirmationRequest?.options ?? [];
  const unfocused: ScreenState = { ...state, dialog: { ...dialog, hasFocus: false } };
  const choose = (index: number): KeyOutcome => {
    const option = options[index];
    if (option === undefined) return { state };
    const { toolCallId } = question;
    return {
      // What is typed while the answer is on its way is the next prompt, not a second answer.
      state: { ...state, dialog: { ...dialog, hasFocus: false, isAnswered: true } },
      effect: { type: "answer", toolCallId, optionId: option.id },
    };
  };
  if (isKey(key, "up")) return move(state, dialog, options.length, -1);
  if (isKey(key, "down")) return move(state, dialog, options.length, 1);
  if (isKey(key, "tab")) return { state: unfocused };
  const isReady = isAnswerable(dialog, context.now);
  if (isKey(key, "enter")) {
    const refusal = refusalOfEnter(state, dialog, isReady);
    return refusal === undefined ? choose(dialog.index) : { state: { ...state, notice: refusal } };
  }
  if (key.type !== "text" && key.type !== "paste") return { state };
  if (isReady && key.type === "text") {
    if (/^[1-9]$/.test(key.text) && Number(key.text) <= options.length) {
      return choose(Number(key.text) - 1);
    }
    if (key.text === "e" && canEdit(question)) {
      return { state, effect: { type: "edit-proposal", toolCall: question } };
    }
  }
  return reducePromptKey(unfocused, key, context);
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
