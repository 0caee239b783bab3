import type { QueuedPrompt, SlashCommand, ToolCall } from "@dt/schema";
import { type Choice, completeCommand } from "../../prompt/complete-command.js";
import { type FileMention, findMention, matchFiles } from "../../prompt/complete-file.js";
import { type EditText, EMPTY_TEXT } from "../../prompt/edit-text.js";
import type { Pastes } from "../../prompt/fold-paste.js";

/** State of the screen beside the session's view: the typed text and the choices of the person. */
export interface ScreenState {
  readonly edit: EditText;
  /** Text that was cut last. */
  readonly killed: string;
  /** Long texts that were pasted into the input field. */
  readonly pastes: Pastes;
  /** Set while the person browses earlier prompts. */
  readonly recalled?: Recalled;
  readonly menuIndex: number;
  /** True if the menu was closed; it opens again when the text changes. */
  readonly isMenuClosed: boolean;
  /** Files that a prompt may mention, from the last listing. */
  readonly files: readonly string[];
  /** The dialog of the open question. */
  readonly dialog?: DialogState;
  /** True after a Ctrl-C that had nothing to cancel; another Ctrl-C closes dt. */
  readonly isLeaving: boolean;
  /** True after a Ctrl-C that cancelled the turn; another Ctrl-C does not cancel again. */
  readonly hasCancelled: boolean;
  /** The mode that Shift-Tab has chosen; undefined after that mode is set. */
  readonly chosenMode?: string;
  /** The chosen mode that was sent and is not set yet. */
  readonly sentMode?: string;
  /** Ids of prompts that were withdrawn. A prompt is withdrawn only once. */
  readonly withdrawn: readonly string[];
  /** A line that the status bar shows until the next key. */
  readonly notice: string;
}

/** An earlier prompt that is shown, and the draft that it replaced. */
export interface Recalled {
  readonly index: number;
  readonly draft: EditText;
}

/** The dialog of one question. */
export interface DialogState {
  readonly toolCallId: string;
  /** Index of the chosen option. */
  readonly index: number;
  /** True if the dialog gets the keys; otherwise the input field gets them. */
  readonly hasFocus: boolean;
  /** True if the question was answered here and the agent has not replied yet. */
  readonly isAnswered?: boolean;
  /** A pressed key that can answer. It answers after a delay, unless another character follows it. */
  readonly heldKey?: string;
  /** Time that the question must be visible before a key answers it. */
  readonly graceMs: number;
  /**
   * Time at which the grace period ends and keys begin to answer the question; undefined while the question
   * is not visible.
   */
  readonly readyAt?: number;
  /** True if the terminal is too small to show the question. */
  readonly isHidden?: boolean;
  /** True if too few details of the question are visible, so that the call may not be allowed yet. */
  readonly isCut?: boolean;
  /** True if the pager was opened, which shows the details completely. */
  readonly isPaged?: boolean;
}

/** Grace period of a new question. The person may be typing when the question appears. */
const GRACE_MS = 500;

/** Grace period of a question that follows an answer. It is short, because the person expects a question. */
const NEXT_GRACE_MS = 150;

/** Time within which another Ctrl-C closes dt. */
const LEAVING_MS = 2000;

/** Time within which another Shift-Tab changes the chosen mode again. */
const CHOSEN_MODE_MS = 400;

/** Time within which another character turns a key that answers into the start of a prompt. */
const HELD_KEY_MS = 300;

/** The state of a screen that was just opened. */
export const INITIAL_SCREEN_STATE: ScreenState = {
  edit: EMPTY_TEXT,
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

/** Returns the timeouts that start with the last key. Pure. */
export function timeoutsOf({
  isLeaving,
  hasCancelled,
  chosenMode,
  dialog,
}: ScreenState): KeyTimeouts {
  return {
    ...((isLeaving || hasCancelled) && { leaving: LEAVING_MS }),
    ...(chosenMode !== undefined && { mode: CHOSEN_MODE_MS }),
    ...(dialog?.heldKey !== undefined && { heldKey: HELD_KEY_MS }),
  };
}

/** Delay of each timeout after the last key, in milliseconds; absent if the timeout does not run. */
export interface KeyTimeouts {
  readonly leaving?: number;
  readonly mode?: number;
  readonly heldKey?: number;
}

/** Values outside the state of the screen that the effect of a key depends on. */
export interface KeyContext {
  /** The first open question. */
  readonly question: ToolCall | undefined;
  /** True if there is a turn to cancel. */
  readonly isBusy: boolean;
  /** True if the session is over. */
  readonly hasEnded: boolean;
  /** Permission mode of prompts from this screen, if the agent reports it. */
  readonly mode: string | undefined;
  readonly commands: readonly SlashCommand[];
  /** The last queued prompt of this screen, if it can be withdrawn. */
  readonly queued: QueuedPrompt | undefined;
  /** Earlier prompts, oldest first. */
  readonly prompts: readonly string[];
  /** Columns of the input field. */
  readonly width: number;
  /** Time of the key, on the clock of {@link withShownQuestion}. */
  readonly now: number;
}

/** The menu below the input field. */
export type Menu =
  | { readonly type: "commands"; readonly choices: readonly Choice[]; readonly hint?: string }
  | { readonly type: "files"; readonly files: readonly string[]; readonly mention: FileMention };

/** Returns the menu for the typed text. Pure. */
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

/** Counts the lines of a menu that can be chosen. */
export function menuSize(menu: Menu | undefined): number {
  if (menu === undefined) return 0;
  return menu.type === "commands" ? menu.choices.length : menu.files.length;
}

/**
 * Opens the dialog of a question; closes the dialog if no question is open. The dialog gets the focus unless
 * the person is typing, because typed text must not answer the question. Pure.
 */
export function withQuestion(state: ScreenState, question: ToolCall | undefined): ScreenState {
  if (state.dialog?.toolCallId === question?.toolCallId) return state;
  const { dialog: closed, ...rest } = state;
  if (question === undefined) return rest;
  const hasFocus = state.edit.text === "" || closed?.hasFocus === true;
  const { toolCallId } = question;
  const grace = closed?.isAnswered === true ? NEXT_GRACE_MS : GRACE_MS;
  return { ...rest, dialog: { toolCallId, index: 0, hasFocus, graceMs: grace } };
}

/** Visibility of a drawn question. */
export interface QuestionVisibility {
  readonly isShown: boolean;
  /** True if too few details of the question are visible, so that the call may not be allowed yet. */
  readonly isCut: boolean;
}

/** Records that the question was drawn; its grace period begins when it is first visible. Pure. */
export function withShownQuestion(
  state: ScreenState,
  visibility: QuestionVisibility,
  now: number,
): ScreenState {
  const { dialog } = state;
  if (dialog === undefined) return state;
  const { isCut } = visibility;
  if (!visibility.isShown) {
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

/** Records that the pager was opened, which shows the question completely. Pure. */
export function withPagedQuestion(state: ScreenState): ScreenState {
  const { dialog } = state;
  return dialog === undefined ? state : { ...state, dialog: { ...dialog, isPaged: true } };
}

/** Returns true if the dialog shows too few details of the question and the pager was not opened. */
export function isUnread({ isCut, isPaged }: DialogState): boolean {
  return isCut === true && isPaged !== true;
}

/** Makes a question answerable again after its answer was not accepted. Pure. */
export function withRefusedAnswer(state: ScreenState, toolCallId: string): ScreenState {
  if (state.dialog?.toolCallId !== toolCallId) return state;
  const { isAnswered: _, ...dialog } = state.dialog;
  return { ...state, dialog };
}

/** Ends the wait for another Ctrl-C and removes the notice about Ctrl-C. Pure. */
export function withoutLeaving(state: ScreenState): ScreenState {
  if (!state.isLeaving) return { ...state, hasCancelled: false };
  return { ...state, isLeaving: false, hasCancelled: false, notice: "" };
}

/** Forgets the chosen mode. Pure. */
export function withoutChosenMode({ chosenMode: _, ...state }: ScreenState): ScreenState {
  return state;
}

/** Returns true if a key may answer the question now. */
export function isAnswerable({ readyAt }: DialogState, now: number): boolean {
  return readyAt !== undefined && now >= readyAt;
}
