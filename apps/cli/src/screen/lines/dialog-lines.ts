import type { ToolCall } from "@dt/schema";
import { showControlOnLine } from "@dt/schema";
import { questionLines } from "../../history/question-lines.js";
import { cutLine } from "../../text/cut-line.js";
import { type Line, line, type Span, span } from "../../text/span.js";
import { cutToWidth, textWidth } from "../../text/text-width.js";
import { wrapLine } from "../../text/wrap-line.js";
import { canEdit, tooSmall } from "../keys/reduce-dialog-key.js";
import { type DialogState, isAnswerable, isUnread } from "../state/screen-state.js";

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
  /** Whether what would be allowed is not seen whole: it is not allowed before it was. */
  readonly isCut: boolean;
}

/** What stands around the details, and what it needs at the least between. */
interface Form {
  readonly head: readonly Line[];
  readonly foot: readonly Line[];
}

const bar: Span = span("│ ", { colour: "yellow" });

/** How much of a diff must be seen: enough to tell what is done to which file. */
const leastDiffLines = 3;

/** How many lines of cut details are worth more than the line that names the keys. */
const roomyLines = 6;

/**
 * A question as the lines of a screen. What would be allowed comes before all that is said about it:
 * descriptions, the line of keys and the other options give way to it. Where it cannot be seen whole
 * all the same, that is told; where nothing of it can be seen, a line says so instead. Pure.
 */
export function dialogLines(question: ToolCall, options: DialogOptions): ShownDialog {
  const { height } = options;
  const width = Math.max(1, options.width - 2);
  const details = questionLines(question, width);
  const forms = formsOf(question, { ...options, width });
  const roomIn = ({ head, foot }: Form) => height - head.length - foot.length;
  const needed = neededLines(question, details.length, width);
  const whole = forms.find((form) => roomIn(form) >= needed);
  // The first form with its long descriptions gives way, and then the line of keys.
  const cut = forms.slice(1).find((form, index) => roomIn(form) >= (roomsOfCut[index] ?? 1));
  const form = whole ?? cut;
  if (form === undefined) {
    const said = line(cutToWidth(tooSmall, options.width), { colour: "yellow" });
    return { lines: height <= 0 ? [] : [said], isShown: false, isCut: true };
  }
  const shown = [...form.head, ...fit(details, roomIn(form), width), ...form.foot];
  const withBar = shown.map((each) => [bar, ...each]);
  return {
    lines: withBar.length < height ? [[], ...withBar] : withBar,
    isShown: true,
    isCut: whole === undefined,
  };
}

/** From how many lines of details on a form is taken that cannot show them all. */
const roomsOfCut = [roomyLines, 2, 1];

/** How many lines of the details must be seen before something is allowed. */
function neededLines({ confirmationRequest }: ToolCall, count: number, width: number): number {
  const details = confirmationRequest?.details;
  if (details?.$case !== "fileEditDetails") return count;
  const path = Math.ceil((textWidth(details.value.filePath) + 2) / Math.max(1, width));
  // One more line says how much there is beside it.
  return Math.min(count, path + leastDiffLines + 1);
}

/** The ways to show a question, from the one that says most. */
function formsOf(question: ToolCall, options: DialogOptions): readonly Form[] {
  const { width, dialog } = options;
  const all = question.confirmationRequest?.options ?? [];
  const named = all.map(({ name, description = "" }, index) => {
    const { sign, label } = choiceOf(name, index, options);
    const about = description === "" ? "" : ` — ${showControlOnLine(description)}`;
    return { sign, text: [label, span(about, { isDim: true })] };
  });
  const described = named.flatMap(({ sign, text }) =>
    wrapLine(text, { width, first: [sign], rest: [span("    ")] }),
  );
  // What an option covers is said as far as its line reaches.
  const choices = named.map(({ sign, text }) => cutLine([sign, ...text], width));
  const { sign, label } = choiceOf(all[dialog.index]?.name ?? "", dialog.index, options);
  const of = span(` (${dialog.index + 1} of ${all.length})`, { isDim: true });
  const title = titleOf(question, options);
  const head = [cutLine(title, width)];
  const keys = keysOf(question, options);
  return [
    { head: wrapLine(title, { width }), foot: [...described, ...wrapLine(keys, { width })] },
    { head, foot: [...choices, cutLine(keys, width)] },
    { head, foot: choices },
    { head, foot: [cutLine([sign, label, of], width)] },
  ];
}

function titleOf(question: ToolCall, { count }: DialogOptions): Line {
  return [
    span(`Allow ${showControlOnLine(question.toolName)}?`, { isBold: true, colour: "yellow" }),
    ...(count > 1 ? [span(` (1 of ${count})`, { isDim: true })] : []),
  ];
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
  if (isUnread(dialog)) return "Ctrl-O shows all of it, then it can be allowed · Esc cancels";
  const edit = canEdit(question) ? " · e edit it first" : "";
  return `↑↓ Enter or a number${edit} · Esc cancels the turn`;
}

/** As many lines as there is room for; the last one says how to see the rest. */
function fit(lines: readonly Line[], room: number, width: number): readonly Line[] {
  if (lines.length <= room) return lines;
  if (room <= 1) {
    const more = ` … +${lines.length - 1} Ctrl-O`;
    const first = cutLine(lines[0] ?? [], Math.max(1, width - more.length));
    return [[...first, span(more, { isDim: true })]];
  }
  const hidden = lines.length - room + 1;
  const more = `… ${hidden} more lines (Ctrl-O shows all)`;
  const shown = textWidth(more) <= width ? more : `… +${hidden} Ctrl-O`;
  return [...lines.slice(0, room - 1), line(shown, { isDim: true })];
}
