import { type FaceStatus, openQuestions, showControlOnLine, type TaskView } from "@dt/schema";
import { liveItems, type Transcript } from "../../history/advance-transcript.js";
import { type ItemOptions, markOf } from "../../history/item-lines.js";
import { formatDuration } from "../../history/tool-call-lines.js";
import type { ScreenSession } from "../../session/screen-session.js";
import { cutLine } from "../../text/cut-line.js";
import { type Line, line, span } from "../../text/span.js";
import { cutToWidth } from "../../text/text-width.js";
import type { Menu, ScreenState, Sight } from "../state/screen-state.js";
import { activityLines } from "./activity-lines.js";
import { dialogLines } from "./dialog-lines.js";
import { menuLines, promptLines } from "./prompt-lines.js";
import { statusLines } from "./status-lines.js";

/** All that a frame is made of. */
export interface FrameInput {
  readonly view: TaskView;
  readonly transcript: Transcript;
  readonly state: ScreenState;
  readonly status: FaceStatus;
  readonly menu: Menu | undefined;
  readonly size: { readonly columns: number; readonly rows: number };
  /** Whether files can be named in a prompt. */
  readonly hasFiles: boolean;
  /** Whether prompts of this screen that wait can be taken back. */
  readonly canWithdraw: boolean;
  /** The current picture of the spinner. */
  readonly spinner: string;
  /** How long the agent has been at it; undefined while it rests. */
  readonly busyMs: number | undefined;
  readonly isOwn: ScreenSession["isOwn"];
  readonly durationMs: NonNullable<ItemOptions["durationMs"]>;
  /** The time, on the clock that says from when on a question may be answered. */
  readonly now: number;
}

/** What is drawn anew each time, from top to bottom. */
export interface Frame {
  readonly activity: readonly Line[];
  readonly dialog: readonly Line[];
  readonly queue: readonly Line[];
  readonly prompt: readonly Line[];
  readonly menu: readonly Line[];
  readonly status: readonly Line[];
  /** How much of what the open question asks can be seen. */
  readonly sight: Sight;
}

const mostPromptRows = 10;
const mostMenuRows = 8;
const mostQueued = 3;

/** What a dialog gets before the queue gets anything. */
const dialogRows = 12;

/** In fewer lines than these the prompt does without its rules, and the status has one line. */
const tightRows = 6;
const tightDialogRows = 12;

/**
 * The screen below the history, as a function of what is known. Never as high as the terminal: what
 * scrolls out of it could not be drawn over. Pure.
 */
export function buildFrame(input: FrameInput): Frame {
  const { view, state, size } = input;
  const width = Math.max(10, size.columns);
  const questions = openQuestions(view);
  const question = state.dialog === undefined ? undefined : questions[0];
  let room = Math.max(0, size.rows - 1);
  const isTight = room < (question === undefined ? tightRows : tightDialogRows);

  const statusRows = isTight ? Math.min(1, Math.max(0, room - 1)) : room;
  const status = statusLines(input.status, view, {
    width,
    notice: state.notice,
    chosenMode: state.chosenMode,
  });
  const shownStatus = status.slice(0, statusRows);
  room -= shownStatus.length;
  const promptRows = isTight ? 1 : Math.min(mostPromptRows, Math.max(1, Math.floor(room / 3)));
  const prompt = promptLines(state, {
    width,
    height: promptRows,
    hasFocus: state.dialog?.hasFocus !== true,
    hasFiles: input.hasFiles,
    hasRules: !isTight,
  }).slice(0, room);
  room -= prompt.length;
  const menuRows = Math.min(mostMenuRows, Math.max(0, room));
  const menu =
    input.menu === undefined
      ? []
      : menuLines(input.menu, state.menuIndex, { width, height: menuRows });
  room -= menu.length;
  const queueRows = question === undefined ? room : room - dialogRows;
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
  // Each part keeps to the width; on the narrowest terminals even a word of ours may not.
  const cut = (lines: readonly Line[]) => lines.map((each) => cutLine(each, width));
  return {
    activity: cut(activity),
    dialog: cut(dialog.lines),
    queue: cut(queue),
    prompt,
    menu: cut(menu),
    status: shownStatus,
    sight: { isShown: dialog.isShown, isCut: dialog.isCut },
  };
}

/** That the agent is at it, and what waits for it. */
function queueLines(input: FrameInput, width: number): readonly Line[] {
  const { view, spinner, busyMs, isOwn } = input;
  const held = (input.status.held ?? []).slice(-mostQueued).map((text) => {
    const shown = `  waiting for the connection: ${showControlOnLine(text.slice(0, width))}`;
    return line(cutToWidth(shown, width), { isDim: true });
  });
  const waiting = view.queue.slice(0, mostQueued).map(({ text, origin }) => {
    const mark = origin === undefined || isOwn(origin) ? "" : `${markOf(origin)} `;
    return line(cutToWidth(`  queued: ${mark}${showControlOnLine(text.slice(0, width))}`, width), {
      isDim: true,
    });
  });
  const more = view.queue.length - waiting.length;
  if (more > 0) waiting.push(line(`  … and ${more} more`, { isDim: true }));
  const isMine = input.canWithdraw && view.queue.some(({ origin }) => origin && isOwn(origin));
  if (isMine && input.state.edit.text === "") {
    waiting.push(line("  ↑ takes your last one back", { isDim: true }));
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
