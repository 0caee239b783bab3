import { type FaceStatus, openQuestions, showControlOnLine, type TaskView } from "@dt/schema";
import { liveItems, type Transcript } from "../../history/advance-transcript.js";
import { describeOrigin, type ItemOptions } from "../../history/item-lines.js";
import { formatDuration } from "../../history/tool-call-lines.js";
import type { ScreenSession } from "../../session/screen-session.js";
import { cutLine } from "../../text/cut-line.js";
import { type Line, line, span } from "../../text/span.js";
import { cutToWidth } from "../../text/text-width.js";
import type { Menu, QuestionVisibility, ScreenState } from "../state/screen-state.js";
import { activityLines } from "./activity-lines.js";
import { dialogLines } from "./dialog-lines.js";
import { menuLines, promptLines } from "./prompt-lines.js";
import { statusLines } from "./status-lines.js";

/** Input of {@link buildFrame}. */
export interface FrameInput {
  readonly view: TaskView;
  readonly transcript: Transcript;
  readonly state: ScreenState;
  readonly status: FaceStatus;
  readonly menu: Menu | undefined;
  readonly size: { readonly columns: number; readonly rows: number };
  /** True if a prompt can mention files. */
  readonly hasFiles: boolean;
  /** True if queued prompts of this screen can be withdrawn. */
  readonly canWithdraw: boolean;
  /** Current frame of the spinner. */
  readonly spinner: string;
  /** Time since the agent became busy; undefined while it is idle. */
  readonly busyMs: number | undefined;
  readonly isOwn: ScreenSession["isOwn"];
  readonly durationMs: NonNullable<ItemOptions["durationMs"]>;
  /** Current time in milliseconds, on the same clock as `readyAt` of the dialog. */
  readonly now: number;
}

/** The part of the screen that every draw replaces, from top to bottom. */
export interface Frame {
  readonly activity: readonly Line[];
  readonly dialog: readonly Line[];
  readonly queue: readonly Line[];
  readonly prompt: readonly Line[];
  readonly menu: readonly Line[];
  readonly status: readonly Line[];
  /** Visibility of the open question. */
  readonly visibility: QuestionVisibility;
}

const MAX_PROMPT_ROWS = 10;
const MAX_MENU_ROWS = 8;
const MAX_QUEUED = 3;

/** Number of rows that are reserved for a dialog before the queue gets rows. */
const DIALOG_ROWS = 12;

/**
 * Below this number of rows, the input field has no lines above and below it, and the status bar has only
 * one line.
 */
const TIGHT_ROWS = 6;
/** Replaces `TIGHT_ROWS` while a question is open. */
const TIGHT_DIALOG_ROWS = 12;

/**
 * Builds the frame. It always has fewer rows than the terminal, because the next draw could not replace a
 * line that has scrolled out of the screen. Pure.
 */
export function buildFrame(input: FrameInput): Frame {
  const { view, state, size } = input;
  const width = Math.max(10, size.columns);
  const questions = openQuestions(view);
  const question = state.dialog === undefined ? undefined : questions[0];
  let room = Math.max(0, size.rows - 1);
  const isTight = room < (question === undefined ? TIGHT_ROWS : TIGHT_DIALOG_ROWS);

  const statusRows = isTight ? Math.min(1, Math.max(0, room - 1)) : room;
  const status = statusLines(input.status, view, {
    width,
    notice: state.notice,
    chosenMode: state.chosenMode,
  });
  const shownStatus = status.slice(0, statusRows);
  room -= shownStatus.length;
  const promptRows = isTight ? 1 : Math.min(MAX_PROMPT_ROWS, Math.max(1, Math.floor(room / 3)));
  const prompt = promptLines(state, {
    width,
    height: promptRows,
    hasFocus: state.dialog?.hasFocus !== true,
    hasFiles: input.hasFiles,
    hasRules: !isTight,
  }).slice(0, room);
  room -= prompt.length;
  const menuRows = Math.min(MAX_MENU_ROWS, Math.max(0, room));
  const menu =
    input.menu === undefined
      ? []
      : menuLines(input.menu, state.menuIndex, { width, height: menuRows });
  room -= menu.length;
  const queueRows = question === undefined ? room : room - DIALOG_ROWS;
  const queue = queueLines(input, width).slice(0, Math.max(0, queueRows));
  room -= queue.length;
  const dialog =
    question === undefined || state.dialog === undefined
      ? { lines: [], isShown: true, isCut: false }
      : dialogLines(question, {
          dialog: state.dialog,
          width,
          height: room,
          count: questions.length,
          text: state.edit.text,
          now: input.now,
        });
  room -= dialog.lines.length;
  const activity = activityLines(liveItems(input.transcript, view), {
    width,
    height: room,
    spinner: input.spinner,
    isExpanded: false,
    isOwn: input.isOwn,
    durationMs: input.durationMs,
  });
  // Cuts lines whose text is fixed, because it may be too long for a very narrow terminal. All other lines
  // are laid out for the width.
  const cut = (lines: readonly Line[]) => lines.map((each) => cutLine(each, width));
  return {
    activity: cut(activity),
    dialog: cut(dialog.lines),
    queue: cut(queue),
    prompt,
    menu: cut(menu),
    status: shownStatus,
    visibility: { isShown: dialog.isShown, isCut: dialog.isCut },
  };
}

/** Lays out the line "working", the queued prompts and the prompts that wait for the connection. */
function queueLines(input: FrameInput, width: number): readonly Line[] {
  const { view, spinner, busyMs, isOwn } = input;
  const held = (input.status.held ?? []).slice(-MAX_QUEUED).map((text) => {
    const shown = `  waiting for the connection: ${showControlOnLine(text.slice(0, width))}`;
    return line(cutToWidth(shown, width), { isDim: true });
  });
  const waiting = view.queue.slice(0, MAX_QUEUED).map(({ text, origin }) => {
    const mark = origin === undefined || isOwn(origin) ? "" : `${describeOrigin(origin)} `;
    return line(cutToWidth(`  queued: ${mark}${showControlOnLine(text.slice(0, width))}`, width), {
      isDim: true,
    });
  });
  const more = view.queue.length - waiting.length;
  if (more > 0) waiting.push(line(`  … and ${more} more`, { isDim: true }));
  const isMine = input.canWithdraw && view.queue.some(({ origin }) => origin && isOwn(origin));
  if (isMine && input.state.edit.text === "") {
    waiting.push(line("  ↑ withdraws your last prompt", { isDim: true }));
  }
  if (busyMs === undefined || openQuestions(view).length > 0) return [...waiting, ...held];
  return [
    [],
    [
      span(spinner, { colour: "yellow" }),
      span(` working ${formatDuration(busyMs)} · Esc cancels`, { isDim: true }),
    ],
    ...waiting,
    ...held,
  ];
}
