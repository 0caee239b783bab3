import { type ItemEvent, isWaiting } from "@dt/schema";
import type { LiveItem } from "../../history/advance-transcript.js";
import { AGENT_SIGN, type ItemOptions, itemLines, withSign } from "../../history/item-lines.js";
import { toolCallLines } from "../../history/tool-call-lines.js";
import { pieceLines } from "../../text/piece-lines.js";
import { type Line, line, span } from "../../text/span.js";

/** Options of {@link activityLines}. */
export interface ActivityOptions extends ItemOptions {
  readonly spinner: string;
  /** Number of lines that are available. */
  readonly height: number;
}

/** Lays out the items that are not printed yet: as many of their last lines as fit. Pure. */
export function activityLines(
  items: readonly LiveItem[],
  options: ActivityOptions,
): readonly Line[] {
  const { height } = options;
  if (height <= 0) return [];
  const lines: Line[] = [];
  // Items are laid out from the last to the first, so that items that do not fit cost no time.
  for (const item of items.toReversed()) {
    if (lines.length > height) break;
    lines.unshift(...liveLines(item, options));
  }
  if (lines.length <= height) return lines;
  const kept = Math.max(0, height - 1);
  const cut = line(`… (Ctrl-O shows all)`, { isDim: true });
  return [cut, ...(kept === 0 ? [] : lines.slice(-kept))];
}

function liveLines(item: LiveItem, options: ActivityOptions): readonly Line[] {
  if (item.type === "item") return openItemLines(item.event, options);
  const lines = item.pieces.flatMap((piece, index) => [
    ...(index > 0 && !piece.isContinued ? [[]] : []),
    ...pieceLines(piece, options.width - 2),
  ]);
  if (lines.length === 0) return [];
  const [first] = item.pieces;
  if (item.isFirst) return [[], ...withSign(lines, AGENT_SIGN)];
  return [...(first?.isContinued === true ? [] : [[]]), ...withSign(lines, [span("  ")])];
}

function openItemLines(event: ItemEvent, options: ActivityOptions): readonly Line[] {
  if (event.kind !== "TOOL_CALL_UPDATE") return itemLines(event, options);
  // The dialog shows a call with an open question.
  if (isWaiting(event.toolCall)) return [];
  const { width, spinner, isExpanded } = options;
  const durationMs = options.durationMs?.(event.toolCall.toolCallId);
  return [[], ...toolCallLines(event.toolCall, { width, spinner, isExpanded, durationMs })];
}
