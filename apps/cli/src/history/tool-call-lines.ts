import {
  isWaiting,
  showControl,
  showControlOnLine,
  type ToolCall,
  ToolCallStatus,
} from "@dt/schema";
import { diffLines } from "../text/diff-lines.js";
import { type Line, line, type Span, type Style, span } from "../text/span.js";
import { wrapLine } from "../text/wrap-line.js";
import { questionLines } from "./question-lines.js";
import { findShellFailure } from "./shell-failure.js";

/** Options of {@link toolCallLines}. */
export interface ToolCallOptions {
  readonly width: number;
  readonly isExpanded: boolean;
  readonly durationMs?: number | undefined;
  /** Current frame of the spinner, for a running call. */
  readonly spinner?: string;
}

const MAX_FOLDED_OUTPUT_LINES = 6;
const MAX_FOLDED_DIFF_LINES = 24;

const STATUS_SIGNS: Readonly<Record<ToolCallStatus, readonly [sign: string, style: Style]>> = {
  STATUS_UNSPECIFIED: ["?", {}],
  PENDING: ["○", { colour: "yellow" }],
  EXECUTING: ["◐", { colour: "yellow" }],
  SUCCEEDED: ["✓", { colour: "green" }],
  FAILED: ["✗", { colour: "red" }],
  CANCELLED: ["⊘", { isDim: true }],
};

const GUTTER: Line = [span("  ")];

/** Lays a tool call out as lines of a screen: its status and title, then its output. Pure. */
export function toolCallLines(call: ToolCall, options: ToolCallOptions): readonly Line[] {
  const failure = findShellFailure(call);
  if (failure === undefined) return [...titleLines(call, options), ...bodyLines(call, options)];
  return [
    ...titleLines({ ...call, status: ToolCallStatus.FAILED }, options, failure.end),
    ...firstAndLastLines(failure.output, options),
  ];
}

function titleLines(
  call: ToolCall,
  { width, spinner, durationMs }: ToolCallOptions,
  end?: string,
): Line[] {
  const [sign, style] = STATUS_SIGNS[call.status];
  const name = showControlOnLine(call.toolName);
  const what = showControlOnLine(call.description ?? "");
  const title: Span[] = [
    span(call.status === ToolCallStatus.EXECUTING ? (spinner ?? sign) : sign, style),
    span(" "),
    span(name, { isBold: true }),
    ...(what === "" || what === name ? [] : [span(` ${what}`)]),
    ...(call.status === ToolCallStatus.CANCELLED ? remark("cancelled", { isDim: true }) : []),
    ...(end === undefined ? [] : remark(end, { colour: "red" })),
    ...(durationMs === undefined ? [] : remark(formatDuration(durationMs), { isDim: true })),
  ];
  return wrapLine(title, { width, first: [], rest: GUTTER });
}

/** Creates a remark after the title of a call. A separator comes first, because the title may be any text. */
function remark(text: string, style: Style): readonly Span[] {
  return [span(" · ", { isDim: true }), span(text, style)];
}

function bodyLines(call: ToolCall, { width, isExpanded }: ToolCallOptions): readonly Line[] {
  const { result } = call;
  // The dialog shows an open question, so the call itself shows the question only in the pager.
  if (isWaiting(call)) return isExpanded ? questionLines(call, width) : [];
  if (result === undefined) return liveLines(call, width, isExpanded);
  if (result.$case === "error") {
    return outputLines(result.value.message, { width, isExpanded, style: { colour: "red" } });
  }
  const output = result.value.result;
  switch (output?.$case) {
    case "diff": {
      const { filePath } = output.value;
      const lines = inGutter(diffLines(output.value, width - 2));
      const file = line(`  ${showControlOnLine(filePath)}`, { isDim: true });
      return folded(
        isExpanded ? [file, ...lines] : lines,
        isExpanded ? Infinity : MAX_FOLDED_DIFF_LINES,
      );
    }
    case "text":
      return outputLines(output.value, { width, isExpanded });
    case "structuredData":
      return outputLines(JSON.stringify(output.value ?? {}, undefined, 2), { width, isExpanded });
    default:
      return [];
  }
}

/** Lays out the last lines of the live output. */
function liveLines(call: ToolCall, width: number, isExpanded: boolean): readonly Line[] {
  if (!call.liveContent) return [];
  const lines = textLines(call.liveContent);
  const shown = isExpanded ? lines : lines.slice(-MAX_FOLDED_OUTPUT_LINES);
  const more = lines.length - shown.length;
  return inGutter([
    ...(more > 0 ? [line(`… ${more} earlier lines`, { isDim: true })] : []),
    ...shown.flatMap((each) => wrapLine(line(each, { isDim: true }), { width: width - 2 })),
  ]);
}

function outputLines(
  text: string,
  options: { readonly width: number; readonly isExpanded: boolean; readonly style?: Style },
): readonly Line[] {
  if (text.trim() === "") return [];
  const { width, isExpanded, style = { isDim: true } } = options;
  // The output is cut before it is wrapped, because wrapping a huge output is slow.
  const lines = textLines(text);
  const shown = isExpanded ? lines : lines.slice(0, MAX_FOLDED_OUTPUT_LINES + 1);
  const wrapped = shown.flatMap((each) => wrapLine(line(each, style), { width: width - 2 }));
  const kept = isExpanded ? wrapped : wrapped.slice(0, MAX_FOLDED_OUTPUT_LINES);
  const more = lines.length - Math.min(shown.length, kept.length);
  return inGutter(kept).concat(kept.length < wrapped.length ? [moreLine(more)] : []);
}

/** Lays out the first and last lines of an output, because the reason of a failure is often at the end. */
function firstAndLastLines(text: string, options: ToolCallOptions): readonly Line[] {
  const { width, isExpanded } = options;
  const lines = text.trim() === "" ? [] : textLines(text);
  const show = (some: readonly string[]) =>
    inGutter(some.flatMap((each) => wrapLine(line(each, { isDim: true }), { width: width - 2 })));
  if (isExpanded || lines.length <= MAX_FOLDED_OUTPUT_LINES) return show(lines);
  const half = MAX_FOLDED_OUTPUT_LINES / 2;
  return [
    ...show(lines.slice(0, half)).slice(0, half),
    moreLine(lines.length - MAX_FOLDED_OUTPUT_LINES),
    ...show(lines.slice(-half)).slice(-half),
  ];
}

function folded(lines: readonly Line[], maxLines: number): readonly Line[] {
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), moreLine(lines.length - maxLines)];
}

function moreLine(count: number): Line {
  return line(`  … ${Math.max(1, count)} more lines (Ctrl-O shows all)`, { isDim: true });
}

function inGutter(lines: readonly Line[]): Line[] {
  return lines.map((each) => [...GUTTER, ...each]);
}

function textLines(text: string): readonly string[] {
  return showControl(text).replaceAll("\t", "    ").trimEnd().split("\n");
}

/** Formats a duration: `0.4s`, `12s`, `3m 05s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}
