import type { Key, KeyName } from "../../keys/decode-keys.js";
import { completeMention } from "../../prompt/complete-file.js";
import {
  deleteBackward,
  deleteForward,
  type EditText,
  EMPTY_TEXT,
  insert,
  type Killed,
  killToLineEnd,
  killToLineStart,
  killWordBackward,
  killWordForward,
  moveLeft,
  moveRight,
  moveToLineEnd,
  moveToLineStart,
  moveWordLeft,
  moveWordRight,
  textAtEnd,
} from "../../prompt/edit-text.js";
import { foldPaste, pasteLabelLength, unfoldPastes } from "../../prompt/fold-paste.js";
import { layoutText, offsetInRow } from "../../prompt/layout-text.js";
import type { KeyOutcome } from "../state/effect.js";
import { isLeaveCommand } from "../state/screen-commands.js";
import { type KeyContext, menuOf, menuSize, type ScreenState } from "../state/screen-state.js";

/** Applies a key to the input field. Pure. */
export function reducePromptKey(state: ScreenState, key: Key, context: KeyContext): KeyOutcome {
  switch (key.type) {
    case "text":
      return { state: withText(state, insert(state.edit, key.text)) };
    case "paste": {
      const { shown, pastes } = foldPaste(state.pastes, key.text);
      return { state: { ...withText(state, insert(state.edit, shown)), pastes } };
    }
    case "ctrl":
      return { state: reduceCtrl(state, key.letter, context) };
    case "alt":
      return { state: reduceAlt(state, key.letter) };
    case "key":
      return reduceNamedKey(state, key.name, context);
  }
}

function reduceCtrl(state: ScreenState, letter: string, context: KeyContext): ScreenState {
  const { edit } = state;
  switch (letter) {
    case "a":
      return withEdit(state, moveToLineStart(edit));
    case "e":
      return withEdit(state, moveToLineEnd(edit));
    case "b":
      return withEdit(state, moveLeft(edit));
    case "f":
      return withEdit(state, moveRight(edit));
    case "d":
      return withText(state, deleteForward(edit));
    case "k":
      return withKilled(state, killToLineEnd(edit));
    case "u":
      return withKilled(state, killToLineStart(edit));
    case "w":
      return withKilled(state, killWordBackward(edit));
    case "y":
      return withText(state, insert(edit, state.killed));
    case "p":
      return recall(state, context, -1);
    case "n":
      return recall(state, context, 1);
    default:
      return state;
  }
}

function reduceAlt(state: ScreenState, letter: string): ScreenState {
  switch (letter) {
    case "b":
      return withEdit(state, moveWordLeft(state.edit));
    case "f":
      return withEdit(state, moveWordRight(state.edit));
    case "d":
      return withKilled(state, killWordForward(state.edit));
    case "backspace":
      return withKilled(state, killWordBackward(state.edit));
    default:
      return state;
  }
}

function reduceNamedKey(state: ScreenState, name: KeyName, context: KeyContext): KeyOutcome {
  const { edit } = state;
  switch (name) {
    case "enter":
      return submit(state, context);
    case "newline":
      return { state: withText(state, insert(edit, "\n")) };
    case "tab":
      return { state: applyChoice(state, context)?.state ?? withDialogFocus(state) };
    case "backspace":
      return { state: withText(state, deleteLetterOrPaste(state)) };
    case "delete":
      return { state: withText(state, deleteForward(edit)) };
    case "left":
      return { state: withEdit(state, moveLeft(edit)) };
    case "right":
      return { state: withEdit(state, moveRight(edit)) };
    case "word-left":
      return { state: withEdit(state, moveWordLeft(edit)) };
    case "word-right":
      return { state: withEdit(state, moveWordRight(edit)) };
    case "home":
      return { state: withEdit(state, moveToLineStart(edit)) };
    case "end":
      return { state: withEdit(state, moveToLineEnd(edit)) };
    case "up":
      // A queued prompt is withdrawn before earlier prompts are recalled, because it is the most recent.
      if (context.queued !== undefined && edit.text === "" && state.recalled === undefined) {
        return { state, effect: { type: "withdraw", prompt: context.queued } };
      }
      return { state: moveVertically(state, context, -1) };
    case "down":
      return { state: moveVertically(state, context, 1) };
    default:
      return { state };
  }
}

/** Deletes the character before the cursor, or the whole label of a paste. */
function deleteLetterOrPaste({ edit, pastes }: ScreenState): EditText {
  const { text, cursor } = edit;
  const length = pasteLabelLength(text.slice(0, cursor), pastes);
  if (length === 0) return deleteBackward(edit);
  return { text: text.slice(0, cursor - length) + text.slice(cursor), cursor: cursor - length };
}

function submit(state: ScreenState, context: KeyContext): KeyOutcome {
  const { edit } = state;
  const completion = applyChoice(state, context);
  // If the chosen line of the menu is not typed completely, Enter completes it and sends nothing.
  if (completion !== undefined && !completion.isTyped) return { state: completion.state };
  if (edit.text.endsWith("\\") && edit.cursor === edit.text.length) {
    return { state: withText(state, textAtEnd(`${edit.text.slice(0, -1)}\n`)) };
  }
  const text = unfoldPastes(edit.text, state.pastes).trim();
  if (text === "") return { state };
  if (context.hasEnded && !isLeaveCommand(text)) {
    return { state: { ...state, notice: "the session has ended" } };
  }
  return {
    state: { ...withText(state, EMPTY_TEXT), pastes: [] },
    effect: { type: "submit", text },
  };
}

/**
 * Applies the chosen line of the menu. Returns undefined if no line is chosen. `isTyped` is true if the person
 * has already typed the whole line, and the line is a command that can run without more arguments.
 */
function applyChoice(
  state: ScreenState,
  { commands }: KeyContext,
): { readonly state: ScreenState; readonly isTyped: boolean } | undefined {
  const menu = menuOf(state, commands);
  if (menu === undefined) return undefined;
  if (menu.type === "files") {
    const file = menu.files[state.menuIndex];
    if (file === undefined) return undefined;
    return {
      state: withText(state, completeMention(state.edit, menu.mention, file)),
      isTyped: false,
    };
  }
  const choice = menu.choices[state.menuIndex];
  if (choice === undefined) return undefined;
  return {
    state: withText(state, textAtEnd(choice.text)),
    isTyped: choice.isComplete && choice.text.trim() === state.edit.text.trim(),
  };
}

function withDialogFocus(state: ScreenState): ScreenState {
  const { dialog } = state;
  return dialog === undefined ? state : { ...state, dialog: { ...dialog, hasFocus: true } };
}

/** Moves up or down: in the menu, else in the text, else through earlier prompts. */
function moveVertically(state: ScreenState, context: KeyContext, step: -1 | 1): ScreenState {
  const size = menuSize(menuOf(state, context.commands));
  if (size > 0 && state.recalled === undefined) {
    return { ...state, menuIndex: (state.menuIndex + step + size) % size };
  }
  const offset = offsetInRow(layoutText(state.edit, context.width), step);
  if (offset !== undefined) return withEdit(state, { ...state.edit, cursor: offset });
  return recall(state, context, step);
}

function recall(state: ScreenState, { prompts }: KeyContext, step: -1 | 1): ScreenState {
  const { index, draft } = state.recalled ?? { index: prompts.length, draft: state.edit };
  const next = index + step;
  if (next < 0 || next > prompts.length) return state;
  const { recalled: _, ...rest } = state;
  if (next === prompts.length) return { ...rest, edit: draft, menuIndex: 0 };
  const edit = textAtEnd(prompts[next] ?? "");
  return { ...rest, edit, menuIndex: 0, recalled: { index: next, draft } };
}

function withEdit(state: ScreenState, edit: EditText): ScreenState {
  return { ...state, edit };
}

/** Changes the text and resets the state that depends on the text. Pure. */
export function withText(state: ScreenState, edit: EditText): ScreenState {
  const { recalled: _, ...rest } = state;
  return { ...rest, edit, menuIndex: 0, isMenuClosed: false };
}

/** Clears the input field and returns its text, which Ctrl-Y restores. Pure. */
export function clearPrompt(state: ScreenState): {
  readonly state: ScreenState;
  readonly draft: string;
} {
  const draft = unfoldPastes(state.edit.text, state.pastes);
  if (draft === "") return { state, draft };
  return { state: { ...withText(state, EMPTY_TEXT), pastes: [], killed: draft }, draft };
}

function withKilled(state: ScreenState, { edit, killed }: Killed): ScreenState {
  return killed === "" ? state : { ...withText(state, edit), killed };
}
