import { isKey, type Key } from "../keys/decode-keys.js";
import { emptyText } from "../prompt/edit-text.js";
import type { KeyOutcome } from "./effect.js";
import { reduceDialogKey } from "./reduce-dialog-key.js";
import { reducePromptKey, withText } from "./reduce-prompt-key.js";
import { type KeyContext, menuOf, type ScreenState } from "./screen-state.js";

/** One key → the next state, and what it brings about. Pure. */
export function reduceKey(before: ScreenState, key: Key, context: KeyContext): KeyOutcome {
  const isCtrlC = key.type === "ctrl" && key.letter === "c";
  const state = { ...before, notice: "", isLeaving: before.isLeaving && isCtrlC };
  const global = reduceGlobalKey(state, key, context);
  if (global !== undefined) return global;
  const { question } = context;
  if (question !== undefined && state.dialog?.hasFocus === true) {
    return reduceDialogKey(state, key, question, { ...context, dialog: state.dialog });
  }
  return reducePromptKey(state, key, context);
}

/** Keys that mean the same wherever the focus is. */
function reduceGlobalKey(
  state: ScreenState,
  key: Key,
  context: KeyContext,
): KeyOutcome | undefined {
  if (key.type === "ctrl") {
    switch (key.letter) {
      case "c":
        if (state.isLeaving) return { state, effect: { type: "leave", exitCode: 130 } };
        return {
          state: {
            ...withText(state, emptyText),
            isLeaving: true,
            notice: "press Ctrl-C again to leave",
          },
        };
      case "o":
        return { state, effect: { type: "open-pager" } };
      case "l":
        return { state, effect: { type: "redraw" } };
      case "z":
        return { state, effect: { type: "suspend" } };
      case "d":
        if (state.edit.text !== "") return undefined;
        return { state, effect: { type: "leave", exitCode: 0 } };
    }
  }
  if (isKey(key, "escape")) {
    if (menuOf(state, context.commands) !== undefined) {
      return { state: { ...state, isMenuClosed: true } };
    }
    if (context.isBusy) return { state, effect: { type: "cancel" } };
    return { state };
  }
  return undefined;
}
