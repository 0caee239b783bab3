import type { ToolCall } from "@dt/schema";
import { isKey, type Key } from "../../keys/decode-keys.js";
import type { KeyOutcome } from "../state/effect.js";
import {
  type KeyContext,
  menuOf,
  type ScreenState,
  withPagedQuestion,
} from "../state/screen-state.js";
import { nextMode } from "./next-mode.js";
import { answerWith, reduceDialogKey } from "./reduce-dialog-key.js";
import { clearPrompt, reducePromptKey } from "./reduce-prompt-key.js";

/** Applies one key to the state of the screen. Pure. */
export function reduceKey(before: ScreenState, key: Key, context: KeyContext): KeyOutcome {
  const isCtrlC = key.type === "ctrl" && key.letter === "c";
  const { state: released, heldKey } = releaseKey(before);
  const state = {
    ...released,
    notice: "",
    isLeaving: before.isLeaving && isCtrlC,
    hasCancelled: before.hasCancelled && isCtrlC,
  };
  const global = reduceGlobalKey(state, key, context);
  if (global !== undefined) return global;
  const { question } = context;
  if (question !== undefined && state.dialog?.hasFocus === true) {
    return reduceDialogKey(state, key, question, {
      ...context,
      dialog: state.dialog,
      heldKey,
    });
  }
  return reducePromptKey(state, key, context);
}

/**
 * Answers the question with the key in `heldKey` of the dialog, such as a number. The screen calls this
 * when no other key has followed that key in time. Pure.
 */
export function answerHeldKey(before: ScreenState, question: ToolCall | undefined): KeyOutcome {
  const { state, heldKey } = releaseKey(before);
  if (heldKey === undefined || question === undefined) return { state };
  if (state.dialog?.toolCallId !== question.toolCallId) return { state };
  return answerWith(heldKey, state, question, state.dialog);
}

function releaseKey(state: ScreenState): {
  readonly state: ScreenState;
  readonly heldKey?: string | undefined;
} {
  if (state.dialog?.heldKey === undefined) return { state };
  const { heldKey, ...dialog } = state.dialog;
  return { state: { ...state, dialog }, heldKey };
}

/** Applies a key that has the same meaning wherever the focus is. Returns undefined for any other key. */
function reduceGlobalKey(
  state: ScreenState,
  key: Key,
  context: KeyContext,
): KeyOutcome | undefined {
  if (key.type === "ctrl") {
    switch (key.letter) {
      case "c":
        return interrupt(state, context);
      case "o":
        return { state: withPagedQuestion(state), effect: { type: "open-pager" } };
      case "l":
        return { state, effect: { type: "redraw" } };
      case "z":
        return { state, effect: { type: "suspend" } };
      case "d":
        if (state.edit.text !== "") return undefined;
        return { state, effect: { type: "leave", exitCode: 0 } };
    }
  }
  if (isKey(key, "shift-tab")) return chooseMode(state, context);
  if (isKey(key, "escape")) {
    if (menuOf(state, context.commands) !== undefined) {
      return { state: { ...state, isMenuClosed: true } };
    }
    if (context.isBusy) return { state, effect: { type: "cancel" } };
    return { state };
  }
  return undefined;
}

/**
 * Applies Ctrl-C. The first press cancels the turn, the next one clears the input field, and the last one
 * leaves dt. A turn is cancelled only once, so that the person can leave even if the turn does not end.
 */
function interrupt(state: ScreenState, { isBusy }: KeyContext): KeyOutcome {
  if (state.isLeaving) return { state, effect: { type: "leave", exitCode: 130 } };
  if (isBusy && !state.hasCancelled) {
    return { state: { ...state, hasCancelled: true }, effect: { type: "cancel" } };
  }
  const { state: cleared, draft } = clearPrompt(state);
  if (draft === "") {
    return { state: { ...state, isLeaving: true, notice: "press Ctrl-C again to leave" } };
  }
  const notice = "↑ or Ctrl-Y restores the text · press Ctrl-C again to leave";
  return {
    state: { ...cleared, isLeaving: true, notice },
    effect: { type: "keep-draft", text: draft },
  };
}

/** Chooses the next mode. The chosen mode is set when no other Shift-Tab follows in time. */
function chooseMode(state: ScreenState, { mode }: KeyContext): KeyOutcome {
  const current = state.chosenMode ?? mode;
  if (current === undefined)
    return { state: { ...state, notice: "this agent does not report a mode" } };
  return { state: { ...state, chosenMode: nextMode(current) } };
}
