import type { QueuedPrompt, SlashCommand, ToolCall } from "@dt/schema";
import { type Choice, completeCommand } from "../../prompt/complete-command.js";
import { type FileMention, findMention, matchFiles } from "../../prompt/complete-file.js";
import { type EditText, emptyText } from "../../prompt/edit-text.js";
import type { Pastes } from "../../prompt/fold-paste.js";

/** What only the screen knows: what is being typed and chosen. All else is in the view. */
export interface ScreenState {
  readonly edit: EditText;
  /** What was cut last. */
  readonly killed: string;
  /** Long texts that were pasted into what is being typed. */
  readonly pastes: Pastes;
  /** Set while earlier prompts are leafed through. */
  readonly recalled?: Recalled;
  readonly menuIndex: number;
  /** Whether the menu was closed; it opens again when the text changes. */
  readonly isMenuClosed: boolean;
  /** The files that may be named, as far as they are known. */
  readonly files: readonly string[];
  /** The question that is shown, and the option that is chosen in it. */
  readonly dialog?: DialogState;
  /** Whether a Ctrl-C came: another one leaves. */
  readonly isLeaving: boolean;
  /** Whether a Ctrl-C cancelled the turn: another one goes further. */
  readonly hasCancelled: boolean;
  /** The mode that Shift-Tab has come to, until it is set. */
  readonly chosenMode?: string;
  /** The chosen mode that was sent and is not set yet. */
  readonly sentMode?: string;
  /** Ids of prompts that were asked back; each is asked back once. */
  readonly withdrawn: readonly string[];
  /** A line for the person, until the next key. */
  readonly notice: string;
}

/** A place in the earlier prompts, and what was being typed before. */
export interface Recalled {
  readonly index: number;
  readonly draft: EditText;
}

/** The dialog of one question. */
export interface DialogState {
  readonly toolCallId: string;
  readonly index: number;
  /** Whether keys go to it; else to the prompt. */
  readonly hasFocus: boolean;
  /** Whether it was answered here, and what came of that is not known yet. */
  readonly isAnswered?: boolean;
  /** A letter that answers it, unless more is typed at once: then it begins a prompt. */
  readonly heldKey?: string;
  /** How long it must have been seen before a key answers it. */
  readonly graceMs: number;
  /** From when on keys answer it; undefined while it is not seen. */
  readonly readyAt?: number;
  /** Whether the terminal is too small to show what it asks. */
  readonly isHidden?: boolean;
  /** Whether what would be allowed is not seen whole in it. */
  readonly isCut?: boolean;
  /** Whether it was opened in the pager, where all of it is. */
  readonly wasPaged?: boolean;
}

/** How long a question that came by itself is seen before a key answers it: keys may be under way. */
const graceMs = 500;

/** The same for the question behind the one that was answered here: it is expected. */
const nextGraceMs = 150;

/** Time in which another Ctrl-C counts. */
const LEAVING_MS = 2000;

/** Time in which another Shift-Tab changes the chosen mode again. */
const CHOSEN_MODE_MS = 400;

/** Time in which another letter turns one that answers into the beginning of a sentence. */
const HELD_KEY_MS = 300;

/** What the screen knows when it opens. */
export const initialScreenState: ScreenState = {
  edit: emptyText,
  killed: "",
  pastes: [],
  menuIndex: 0,
  isMenuClosed: false,
  files: [],
  isLeaving: false,
  hasCancelled: false,
  withdrawn: [],
  notice: "",
};

/** Time after which nothing has followed the last key, for each thing that waits for that. Pure. */
export function waitsOf({ isLeaving, hasCancelled, chosenMode, dialog }: ScreenState): Waits {
  return {
    ...((isLeaving || hasCancelled) && { leaving: LEAVING_MS }),
    ...(chosenMode !== undefined && { mode: CHOSEN_MODE_MS }),
    ...(dialog?.heldKey !== undefined && { heldKey: HELD_KEY_MS }),
  };
}

/** Milliseconds until each wait is over; absent if nothing waits. */
export interface Waits {
  readonly leaving?: number;
  readonly mode?: number;
  readonly heldKey?: number;
}

/** What a key may depend on beside that. */
export interface KeyContext {
  /** The first question that is open. */
  readonly question: ToolCall | undefined;
  /** Whether there is something to cancel. */
  readonly isBusy: boolean;
  /** Whether the session is over. */
  readonly hasEnded: boolean;
  /** How freely what is typed here may act, where that is known. */
  readonly mode: string | undefined;
  readonly commands: readonly SlashCommand[];
  /** The last prompt of this screen that waits and can be taken back. */
  readonly queued: QueuedPrompt | undefined;
  /** Earlier prompts, oldest first. */
  readonly prompts: readonly string[];
  /** How many columns the prompt has. */
  readonly width: number;
  /** When the key was pressed, on the clock of {@link withShownQuestion}. */
  readonly now: number;
}

/** The menu below the prompt. */
export type Menu =
  | { readonly type: "commands"; readonly choices: readonly Choice[]; readonly hint?: string }
  | { readonly type: "files"; readonly files: readonly string[]; readonly mention: FileMention };

/** The menu that fits what is typed. */
export function menuOf(
  { edit, isMenuClosed, files }: ScreenState,
  commands: readonly SlashCommand[],
): Menu | undefined {
  if (isMenuClosed) return undefined;
  const menu = edit.cursor === edit.text.length ? completeCommand(edit.text, commands) : undefined;
  if (menu !== undefined) return { type: "commands", ...menu };
  const mention = findMention(edit);
  if (mention === undefined) return undefined;
  const found = matchFiles(mention.query, files);
  return found.length === 0 ? undefined : { type: "files", files: found, mention };
}

/** How many lines of a menu can be chosen. */
export function menuSize(menu: Menu | undefined): number {
  if (menu === undefined) return 0;
  return menu.type === "commands" ? menu.choices.length : menu.files.length;
}

/**
 * The state after the first open question has become another one. A dialog takes the keys, unless
 * someone is typing: what they type must not answer it.
 */
export function withQuestion(state: ScreenState, question: ToolCall | undefined): ScreenState {
  if (state.dialog?.toolCallId === question?.toolCallId) return state;
  const { dialog: closed, ...rest } = state;
  if (question === undefined) return rest;
  const hasFocus = state.edit.text === "" || closed?.hasFocus === true;
  const { toolCallId } = question;
  const grace = closed?.isAnswered === true ? nextGraceMs : graceMs;
  return { ...rest, dialog: { toolCallId, index: 0, hasFocus, graceMs: grace } };
}

/** What of a question was drawn. */
export interface Sight {
  readonly isShown: boolean;
  /** Whether what would be allowed is not seen whole. */
  readonly isCut: boolean;
}

/** The state after the question was drawn, or could not be: from the first on, its grace runs. */
export function withShownQuestion(state: ScreenState, sight: Sight, now: number): ScreenState {
  const { dialog } = state;
  if (dialog === undefined) return state;
  const { isCut } = sight;
  if (!sight.isShown) {
    const { readyAt: _, ...unseen } = dialog;
    if (dialog.isHidden === true) return state;
    return { ...state, dialog: { ...unseen, isHidden: true, isCut } };
  }
  if (dialog.readyAt !== undefined) {
    return dialog.isCut === isCut ? state : { ...state, dialog: { ...dialog, isCut } };
  }
  const { isHidden: _, ...seen } = dialog;
  return { ...state, dialog: { ...seen, isCut, readyAt: now + dialog.graceMs } };
}

/** The state after the pager was opened: what a dialog could not show whole is seen there. */
export function withPagedQuestion(state: ScreenState): ScreenState {
  const { dialog } = state;
  return dialog === undefined ? state : { ...state, dialog: { ...dialog, wasPaged: true } };
}

/** Whether what would be allowed was seen whole neither in the dialog nor in the pager. */
export function isUnread({ isCut, wasPaged }: DialogState): boolean {
  return isCut === true && wasPaged !== true;
}

/** The state after an answer that was given here was not taken: the question may be answered again. */
export function withRefusedAnswer(state: ScreenState, toolCallId: string): ScreenState {
  if (state.dialog?.toolCallId !== toolCallId) return state;
  const { isAnswered: _, ...dialog } = state.dialog;
  return { ...state, dialog };
}

/** The state after nothing followed a Ctrl-C: it is forgotten, and what it said with it. */
export function withoutLeaving(state: ScreenState): ScreenState {
  if (!state.isLeaving) return { ...state, hasCancelled: false };
  return { ...state, isLeaving: false, hasCancelled: false, notice: "" };
}

/** The state after the chosen mode was taken to be set. */
export function withoutChosenMode({ chosenMode: _, ...state }: ScreenState): ScreenState {
  return state;
}

/** Whether a key may answer the question now. */
export function isAnswerable({ readyAt }: DialogState, now: number): boolean {
  return readyAt !== undefined && now >= readyAt;
}
