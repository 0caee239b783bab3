import type { ToolCall } from "@dt/schema";
import { questionLines } from "../history/question-lines.js";
import { cutLine } from "../text/cut-line.js";
import { showControlOnLine } from "../text/show-control.js";
import { type Line, line, type Span, span } from "../text/span.js";
import { cutToWidth } from "../text/text-width.js";
import { wrapLine } from "../text/wrap-line.js";
import { canEdit, tooSmall } from "./reduce-dialog-key.js";
import { type DialogState, isAnswerable } from "./screen-state.js";

/** How a dialog is shown. */
export interface DialogOptions {
  readonly dialog: DialogState;
  readonly width: number;
  readonly height: number;
  /** How many questions are open, this one included. */
  readonly count: number;
  readonly now: number;
}

/** A dialog on the screen. */
export interface ShownDialog {
  readonly lines: readonly Line[];
  /** Whether it shows what is asked and what is chosen: nobody answers what they cannot see. */
  readonly isShown: boolean;
}

const bar: Span = span("│ ", { colour: "yellow" });

/**
 * A question as the lines of a screen: who asks and for what, and the options, always; its details as
 * far as they fit. Where not even the first fits, a line says so instead. Pure.
 */
export function dialogLines(question: ToolCall, options: DialogOptions): ShownDialog {
  const { height } = options;
  const width = Math.max(1, options.width - 2);
  const forms = [wholeForm, shortForm, shortestForm];
  for (const form of forms) {
    const lines = form(question, { ...options, width });
    const withBar = lines?.map((each) => [bar, ...each]);
    if (withBar !== undefined && withBar.length < height) {
      return { lines: [[], ...withBar], isShown: true };
    }
    if (withBar !== undefined && withBar.length === height) {
      return { lines: withBar, isShown: true };
    }
  }
  return {
    lines: height <= 0 ? [] : [line(cutToWidth(tooSmall, options.width), { colour: "yellow" })],
    isShown: false,
  };
}

/** Everything at its full length, the details as far as there is room for them. */
function wholeForm(question: ToolCall, options: DialogOptions): readonly Line[] | undefined {
  const { width, height } = options;
  const title = wrapLine(titleOf(question, options), { width });
  const choices = (question.confirmationRequest?.options ?? []).flatMap((option, index) => {
    const about = showControlOnLine(option.description ?? "");
    const { sign, label } = choiceOf(option.name, index, options);
    return wrapLine([label, ...(about === "" ? [] : [span(` — ${about}`, { isDim: true })])], {
      width,
      first: [sign],
      rest: [span("    ")],
    });
  });
  const keys = wrapLine(keysOf(question, options), { width });
  const room = height - title.length - choices.length - keys.length - 1;
  const all = questionLines(question, width);
  // A title without what it is about says nothing.
  if (room < Math.min(2, all.length)) return undefined;
  return [...title, ...fit(all, room), ...choices, ...keys];
}

/** A line for each: the title, what it is about, every option, the keys. */
function shortForm(question: ToolCall, options: DialogOptions): readonly Line[] | undefined {
  const { width, height } = options;
  const choices = (question.confirmationRequest?.options ?? []).map(({ name }, index) => {
    const { sign, label } = choiceOf(name, index, options);
    return [sign, label];
  });
  const head = [titleOf(question, options), essenceOf(question, width), ...choices];
  const all = [...head, keysOf(question, options)].map((each) => cutLine(each, width));
  return all.length <= height ? all : all.slice(0, -1);
}

/** What is asked, what it is about, and what Enter would choose. */
function shortestForm(question: ToolCall, options: DialogOptions): readonly Line[] | undefined {
  const { width, dialog } = options;
  const all = question.confirmationRequest?.options ?? [];
  const { sign, label } = choiceOf(all[dialog.index]?.name ?? "", dialog.index, options);
  const of = span(` (${dialog.index + 1} of ${all.length})`, { isDim: true });
  return [titleOf(question, options), essenceOf(question, width), [sign, label, of]].map((each) =>
    cutLine(each, width),
  );
}

function titleOf(question: ToolCall, { count }: DialogOptions): Line {
  return [
    span(`Allow ${showControlOnLine(question.toolName)}?`, { isBold: true, colour: "yellow" }),
    ...(count > 1 ? [span(` (1 of ${count})`, { isDim: true })] : []),
  ];
}

/** The first line of the details, and how many there are beside it. */
function essenceOf(question: ToolCall, width: number): Line {
  const [first = [], ...rest] = questionLines(question, width);
  if (rest.length === 0) return first;
  const more = ` … +${rest.length}`;
  return [...cutLine(first, Math.max(1, width - more.length)), span(more, { isDim: true })];
}

function choiceOf(
  name: string,
  index: number,
  { dialog, now }: DialogOptions,
): { readonly sign: Span; readonly label: Span } {
  // Marked when Enter would take it, and not before.
  const isChosen = dialog.hasFocus && isAnswerable(dialog, now) && index === dialog.index;
  return {
    sign: span(isChosen ? "› " : "  "),
    label: span(
      `${index + 1} ${showControlOnLine(name)}`,
      isChosen ? { isBold: true, colour: "cyan" } : undefined,
    ),
  };
}

function keysOf(question: ToolCall, { dialog, now }: DialogOptions): Line {
  return line(keysText(question, dialog, now), { isDim: true });
}

function keysText(question: ToolCall, dialog: DialogState, now: number): string {
  if (dialog.isAnswered === true) return "answering …";
  if (!dialog.hasFocus) return "Tab to answer";
  if (!isAnswerable(dialog, now)) return "…";
  const edit = canEdit(question) ? " · e edit it first" : "";
  return `↑↓ Enter or a number${edit} · Esc cancels the turn`;
}

function fit(lines: readonly Line[], room: number): readonly Line[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  const hidden = lines.length - room + 1;
  const more = line(`… ${hidden} more lines (Ctrl-O shows all)`, { isDim: true });
  return [...lines.slice(0, room - 1), more];
}
