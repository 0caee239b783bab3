import type { ToolCall } from "@dt/schema";
import { questionLines } from "../history/question-lines.js";
import { showControlOnLine } from "../text/show-control.js";
import { type Line, line, type Span, span } from "../text/span.js";
import { wrapLine } from "../text/wrap-line.js";
import { canEdit } from "./reduce-dialog-key.js";
import type { DialogState } from "./screen-state.js";

/** How a dialog is shown. */
export interface DialogOptions {
  readonly dialog: DialogState;
  readonly width: number;
  readonly height: number;
  /** How many questions are open, this one included. */
  readonly count: number;
}

const bar: Span = span("│ ", { colour: "yellow" });

/** A question as the lines of a screen: its details as far as they fit, its options always. Pure. */
export function dialogLines(question: ToolCall, options: DialogOptions): readonly Line[] {
  const { dialog, height, count } = options;
  const width = options.width - 2;
  const request = question.confirmationRequest;
  if (request === undefined) return [];
  const name = showControlOnLine(question.toolName);
  const title = wrapLine(
    [
      span(`Allow ${name}?`, { isBold: true, colour: "yellow" }),
      ...(count > 1 ? [span(` (1 of ${count})`, { isDim: true })] : []),
    ],
    { width },
  );
  const choices = request.options.flatMap((option, index) => {
    const isChosen = dialog.hasFocus && index === dialog.index;
    const label = `${index + 1} ${showControlOnLine(option.name)}`;
    const about = showControlOnLine(option.description ?? "");
    return wrapLine(
      [
        span(label, isChosen ? { isBold: true, colour: "cyan" } : undefined),
        ...(about === "" ? [] : [span(` — ${about}`, { isDim: true })]),
      ],
      { width, first: [span(isChosen ? "› " : "  ")], rest: [span("    ")] },
    );
  });
  const keys = wrapLine(line(keysOf(question, dialog), { isDim: true }), { width });
  const room = height - title.length - choices.length - keys.length - 2;
  const details = fit(questionLines(question, width), room);
  const lines = [...title, ...details, ...choices, ...keys].map((each) => [bar, ...each]);
  // On the lowest of terminals the options are what is left.
  return [[], ...lines].slice(-height);
}

function keysOf(question: ToolCall, { hasFocus }: DialogState): string {
  if (!hasFocus) return "Tab to answer";
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
