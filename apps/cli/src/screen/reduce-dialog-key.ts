import type { ToolCall } from "@dt/schema";
import { isKey, type Key } from "../keys/decode-keys.js";
import type { KeyOutcome } from "./effect.js";
import type { DialogState, ScreenState } from "./screen-state.js";

/** A key for the dialog that has the focus. Pure. */
export function reduceDialogKey(
  state: ScreenState,
  key: Key,
  question: ToolCall,
  dialog: DialogState,
): KeyOutcome {
  const options = question.confirmationRequest?.options ?? [];
  const choose = (index: number): KeyOutcome => {
    const option = options[index];
    if (option === undefined) return { state };
    const { toolCallId } = question;
    return {
      // What is typed while the answer is on its way is the next prompt, not a second answer.
      state: { ...state, dialog: { ...dialog, hasFocus: false } },
      effect: { type: "answer", toolCallId, optionId: option.id },
    };
  };
  if (isKey(key, "up")) return move(state, dialog, options.length, -1);
  if (isKey(key, "down")) return move(state, dialog, options.length, 1);
  if (isKey(key, "enter")) return choose(dialog.index);
  if (isKey(key, "tab")) return { state: { ...state, dialog: { ...dialog, hasFocus: false } } };
  if (key.type !== "text") return { state };
  if (/^[1-9]$/.test(key.text)) return choose(Number(key.text) - 1);
  if (key.text === "e" && canEdit(question)) {
    return { state, effect: { type: "edit-proposal", toolCall: question } };
  }
  return { state };
}

/** Whether the person may write something else instead of what is proposed. */
export function canEdit({ confirmationRequest }: ToolCall): boolean {
  return confirmationRequest?.details?.$case === "fileEditDetails";
}

function move(state: ScreenState, dialog: DialogState, size: number, step: number): KeyOutcome {
  const index = (dialog.index + step + size) % Math.max(1, size);
  return { state: { ...state, dialog: { ...dialog, index } } };
}
