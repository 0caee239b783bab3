import {
  type ConfirmationAnswer,
  type FilePart,
  type ItemEvent,
  type Origin,
  showControl,
  showControlOnLine,
  textOf,
} from "@dt/schema";
import { pieceLines } from "../text/piece-lines.js";
import { type Line, line, type Span, span } from "../text/span.js";
import { EMPTY_SPLIT, restOfText } from "../text/split-markdown.js";
import { wrapLine } from "../text/wrap-line.js";
import { describeAccess } from "./describe-access.js";
import { toolCallLines } from "./tool-call-lines.js";

/** Options of {@link itemLines}. */
export interface ItemOptions {
  readonly width: number;
  /** True to show thoughts and outputs completely, as in the pager. */
  readonly isExpanded: boolean;
  /** True if a prompt or an answer came from the person at this screen. */
  isOwn(origin: Origin): boolean;
  /** Returns the running time of a tool call; undefined if the time is unknown. */
  durationMs?(toolCallId: string): number | undefined;
}

/** Sign before a text of the agent. */
export const AGENT_SIGN: Line = [span("● ", { colour: "green" })];
const INDENT: Line = [span("  ")];

/** Maximum number of lines of a folded prompt. */
const MAX_FOLDED_PROMPT_LINES = 24;

/** Lays one item of the conversation out as lines of a screen. Pure. */
export function itemLines(event: ItemEvent, options: ItemOptions): readonly Line[] {
  const { width, isExpanded } = options;
  switch (event.kind) {
    case "USER_PROMPT":
      return [
        ...promptLines(textOf(event.parts), event.origin, options),
        ...event.parts.flatMap((part) => (part.type === "file" ? fileLines(part, width) : [])),
      ];
    case "TEXT_CONTENT":
      return withSign(textContentLines(event.text, width - 2), AGENT_SIGN);
    case "THOUGHT": {
      const { subject, description } = event.thought;
      const [firstLine = ""] = description.trim().split("\n", 1);
      const titleText = showControlOnLine(subject.trim() || firstLine);
      const title = wrapLine(line(`∴ ${titleText}`, { isDim: true }), { width });
      const isWhole = description.trim() === subject.trim();
      return isExpanded && !isWhole
        ? [...title, ...dimLines(description, width)]
        : title.slice(0, 1);
    }
    case "THOUGHT_SUMMARY": {
      const lines = dimLines(event.thoughtSummary.summary, width);
      return isExpanded ? lines : lines.slice(0, 1);
    }
    case "TOOL_CALL_UPDATE":
      return [
        ...toolCallLines(event.toolCall, {
          width,
          isExpanded,
          durationMs: options.durationMs?.(event.toolCall.toolCallId),
        }),
        ...answerLines(event.answer, options),
      ];
    case "CITATION":
      return wrapLine(
        line(`↗ ${showControlOnLine(`${event.citation.title} ${event.citation.uri}`)}`, {
          isDim: true,
        }),
        { width },
      );
    case "CONSOLE_LOG": {
      const style = event.log.type === "error" ? { colour: "red" as const } : { isDim: true };
      return textLines(`${event.log.type}: ${event.log.content}`).flatMap((each) =>
        wrapLine(line(each, style), { width }),
      );
    }
    case "ACCESS":
      return wrapLine(line(describeAccess(event.access), { isDim: true }), { width });
    case "WARNING":
      return textLines(`warning: ${event.warning.message}`).flatMap((each) =>
        wrapLine(line(each, { colour: "yellow" }), { width }),
      );
    case "UNKNOWN":
      return [line(`(${showControlOnLine(event.wireKind || "an event of an unknown kind")})`)];
  }
}

// Lays out a text of the agent. The text is split into pieces, because the parser refuses long texts.
function textContentLines(text: string, width: number): readonly Line[] {
  return restOfText(text, EMPTY_SPLIT).flatMap((piece, index) => [
    ...(index === 0 || piece.isContinued ? [] : [[]]),
    ...pieceLines(piece, width),
  ]);
}

/** Puts a sign before the first line and indents the other lines. */
export function withSign(lines: readonly Line[], sign: Line): readonly Line[] {
  return lines.map((each, index) => [...(index === 0 ? sign : INDENT), ...each]);
}

/** Names the sender of a prompt or an answer: a client, or the terminal that runs the session. */
export function describeOrigin({ principal, name }: Origin): string {
  if (principal === "terminal") return "[terminal]";
  return `[A2A] ${showControlOnLine(name || principal).slice(0, 60)}`;
}

function promptLines(text: string, origin: Origin, options: ItemOptions): readonly Line[] {
  const mark: readonly Span[] = options.isOwn(origin)
    ? []
    : [span(`${describeOrigin(origin)} `, { colour: "magenta", isBold: true })];
  // The prompt is cut before it is wrapped, because wrapping a huge prompt is slow.
  const begin = options.isExpanded ? text : text.slice(0, MAX_FOLDED_PROMPT_LINES * options.width);
  const lines = textLines(begin).flatMap((each, index) =>
    wrapLine([...(index === 0 ? mark : []), span(each, { isBold: true })], {
      width: options.width,
      first: [span(index === 0 ? "> " : "  ", { colour: "cyan", isBold: true })],
      rest: INDENT,
    }),
  );
  const isWhole = begin.length === text.length && lines.length <= MAX_FOLDED_PROMPT_LINES;
  if (options.isExpanded || isWhole) return lines;
  const more = `  … ${text.length} characters in all (Ctrl-O shows all)`;
  return [...lines.slice(0, MAX_FOLDED_PROMPT_LINES), line(more, { isDim: true })];
}

/** Lays out the name and the size of a file that was sent with a prompt. */
function fileLines({ name = "a file", bytes, uri }: FilePart, width: number): readonly Line[] {
  const size = bytes === undefined ? uri : `${Buffer.byteLength(bytes, "base64")} bytes`;
  const text = `+ ${showControlOnLine(name)} (${showControlOnLine(size ?? "")})`;
  return wrapLine(line(text, { isDim: true }), { width, first: INDENT, rest: INDENT });
}

/** Lays out the answer to a question and its sender; returns no lines if this screen sent the answer. */
function answerLines(
  answer: ConfirmationAnswer | undefined,
  { isOwn, width }: ItemOptions,
): readonly Line[] {
  if (answer?.origin === undefined || isOwn(answer.origin)) return [];
  const { origin, selectedOptionId, reason } = answer;
  const said = reason === undefined ? selectedOptionId : `${selectedOptionId}, ${reason}`;
  const text = `answered by ${describeOrigin(origin)}: ${showControlOnLine(said)}`;
  return wrapLine(line(text, { colour: "magenta" }), { width, first: INDENT });
}

function dimLines(text: string, width: number): readonly Line[] {
  return textLines(text).flatMap((each) =>
    wrapLine(line(each, { isDim: true }), { width, first: INDENT }),
  );
}

function textLines(text: string): readonly string[] {
  return showControl(text).replaceAll("\t", "    ").trimEnd().split("\n");
}
