import type { ToolCall } from "@dt/schema";
import { showControlOnLine } from "@dt/schema";
import { questionLines } from "../../history/question-lines.js";
import { cutLine } from "../../text/cut-line.js";
import { type Line, line, type Span, span } from "../../text/span.js";
import { cutToWidth, textWidth } from "../../text/text-width.js";
import { wrapLine } from "../../text/wrap-line.js";
import { canEdit, canGiveReason, TOO_SMALL } from "../keys/reduce-dialog-key.js";
import { type DialogState, isAnswerable, isUnread } from "../state/screen-state.js";

/** Options of {@link dialogLines}. */
export interface DialogOptions {
  readonly dialog: DialogState;
  readonly width: number;
  readonly height: number;
  /** Number of open questions, including the question of this dialog. */
  readonly count: number;
  /** Text in the input field. */
  readonly text: string;
  readonly now: number;
}

/** The lines of a dialog, and how much of the question they show. */
export interface ShownDialog {
  readonly lines: readonly Line[];
  /** True if the question and the chosen option are visible; otherwise no key answers the question. */
  readonly isShown: boolean;
  /** True if too few details are visible; the person must open the pager before they can allow the call. */
  readonly isCut: boolean;
}

/** One form of a dialog: the lines above and below the details. */
interface Form {
  readonly head: readonly Line[];
  readonly foot: readonly Line[];
}

const BAR: Span = span("│ ", { colour: "yellow" });

/** Number of lines of a diff that must be visible, so that the person can recognise the change. */
const MIN_DIFF_LINES = 3;

/** If the details are cut, the line with the keys is shown only if this many lines remain for the details. */
const ROOMY_LINES = 6;

/**
 * Lays a question out as lines of a screen. If too few details fit, other texts of the dialog are cut or
 * left out in this order: the descriptions of the options, the line with the keys, the options that are not
 * chosen. `isCut` is true if still too few details fit. If not even one line of the details fits, a notice
 * replaces the dialog. Pure.
 */
export function dialogLines(question: ToolCall, options: DialogOptions): ShownDialog {
  const { height } = options;
  const width = Math.max(1, options.width - 2);
  const details = questionLines(question, width);
  const forms = formsOf(question, { ...options, width });
  const roomIn = ({ head, foot }: Form) => height - head.length - foot.length;
  const needed = neededLines(question, details.length, width);
  const whole = forms.find((form) => roomIn(form) >= needed);
  // The first form is skipped, because its long descriptions would leave less room for the details.
  const cut = forms.slice(1).find((form, index) => roomIn(form) >= (MIN_CUT_LINES[index] ?? 1));
  const form = whole ?? cut;
  if (form === undefined) {
    const notice = line(cutToWidth(TOO_SMALL, options.width), { colour: "yellow" });
    return { lines: height <= 0 ? [] : [notice], isShown: false, isCut: true };
  }
  const shown = [...form.head, ...fit(details, roomIn(form), width), ...form.foot];
  const withBar = shown.map((each) => [BAR, ...each]);
  return {
    lines: withBar.length < height ? [[], ...withBar] : withBar,
    isShown: true,
    isCut: whole === undefined,
  };
}

/** Minimum number of lines for details that are cut, for each form after the first. */
const MIN_CUT_LINES = [ROOMY_LINES, 2, 1];

/** Counts the lines of the details that must be visible before the person can allow the call. */
function neededLines({ confirmationRequest }: ToolCall, count: number, width: number): number {
  const details = confirmationRequest?.details;
  if (details?.$case !== "fileEditDetails") return count;
  const path = Math.ceil((textWidth(details.value.filePath) + 2) / Math.max(1, width));
  // One more line shows the number of hidden lines.
  return Math.min(count, path + MIN_DIFF_LINES + 1);
}

/** Lists the forms of a dialog, the most detailed first. */
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
  // The description of an option is cut at the end of its line.
  const choices = named.map(({ sign, text }) => cutLine([sign, ...text], width));
  const { sign, label } = choiceOf(all[dialog.index]?.name ?? "", dialog.index, options);
  const counter = span(` (${dialog.index + 1} of ${all.length})`, { isDim: true });
  const title = titleOf(question, options);
  const head = [cutLine(title, width)];
  const keys = keysOf(question, options);
  return [
    { head: wrapLine(title, { width }), foot: [...described, ...wrapLine(keys, { width })] },
    { head, foot: [...choices, cutLine(keys, width)] },
    { head, foot: choices },
    { head, foot: [cutLine([sign, label, counter], width)] },
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
  // An option is marked only while Enter would choose it.
  const isChosen = dialog.hasFocus && isAnswerable(dialog, now) && index === dialog.index;
  return {
    sign: span(isChosen ? "› " : "  "),
    label: span(
      `${index + 1} ${showControlOnLine(name)}`,
      isChosen ? { isBold: true, colour: "cyan" } : undefined,
    ),
  };
}

function keysOf(question: ToolCall, options: DialogOptions): Line {
  return line(keysText(question, options), { isDim: true });
}

function keysText(question: ToolCall, { dialog, text, now }: DialogOptions): string {
  if (dialog.isAnswered === true) return "answering …";
  if (!dialog.hasFocus) return "Tab to answer";
  if (!isAnswerable(dialog, now)) return "…";
  if (isUnread(dialog)) {
    return "Ctrl-O shows the whole question, then you can allow it · Esc cancels";
  }
  const edit = canEdit(question) ? " · e edit it first" : "";
  const reject = canGiveReason(text, question) ? " · r reject with your text as the reason" : "";
  return `↑↓ Enter or a number${edit}${reject} · Esc cancels the turn`;
}

/** Cuts lines to the available room; the last line shows the number of hidden lines. */
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
