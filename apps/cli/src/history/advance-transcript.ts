import {
  type ItemEvent,
  isTerminalStatus,
  type TaskState,
  type TaskView,
  TURN_CANCELLED,
} from "@dt/schema";
import {
  EMPTY_SPLIT,
  restOfText,
  type SplitState,
  splitMarkdown,
  type TextPiece,
} from "../text/split-markdown.js";

/** A settled piece of the conversation. It is printed once and never changes. */
export type Entry =
  | { readonly type: "item"; readonly event: ItemEvent }
  /** A piece of a text of the agent; `isFirst` is true for the first piece of the text. */
  | { readonly type: "text"; readonly piece: TextPiece; readonly isFirst: boolean }
  /** Items that are not printed, because the view dropped them before this screen could print them. */
  | { readonly type: "gap"; readonly count: number }
  /** Rows that are drawn dark on a light background, such as a QR code. They belong to no item. */
  | { readonly type: "picture"; readonly rows: readonly string[] }
  | Notice;

/** A line that is not an item of the conversation: the end of a turn, or a message of the screen itself. */
export interface Notice {
  readonly type: "notice";
  readonly text: string;
  readonly isError: boolean;
}

/** A notice about the end of a turn. */
export interface TurnEndNotice extends Notice {
  /** Number of items before the notice, counted from the first item of the conversation. */
  readonly itemIndex: number;
}

/** An item that is not printed yet, or the rest of a text that is printed in part. Every frame draws it. */
export type LiveItem =
  | { readonly type: "item"; readonly event: ItemEvent }
  | { readonly type: "text"; readonly pieces: readonly TextPiece[]; readonly isFirst: boolean };

/** Progress of printing a conversation. */
export interface Transcript {
  /** Index, in the whole conversation, of the first item that is not printed completely. */
  readonly itemIndex: number;
  /** Progress of printing the item at `itemIndex`, if that item is text. */
  readonly split: SplitState;
  readonly state: TaskState;
  readonly error: string | undefined;
}

/** The transcript before anything is printed. */
export const EMPTY_TRANSCRIPT: Transcript = {
  itemIndex: 0,
  split: EMPTY_SPLIT,
  state: "submitted",
  error: undefined,
};

/** Result of {@link advanceTranscript}. */
export interface Advance {
  readonly transcript: Transcript;
  /** Entries to print now. */
  readonly entries: readonly Entry[];
  /** The notices among `entries` that report the end of a turn. */
  readonly ends: readonly Notice[];
}

/**
 * Finds the entries that can be printed now: everything after the last printed item and before the first item
 * that may still change. The cost depends on the new items only. Pure.
 */
export function advanceTranscript(before: Transcript, view: TaskView): Advance {
  const entries: Entry[] = [];
  let { itemIndex, split } = before;
  if (itemIndex < view.earlierItems) {
    entries.push({ type: "gap", count: view.earlierItems - itemIndex });
    itemIndex = view.earlierItems;
    split = EMPTY_SPLIT;
  }
  for (;;) {
    const index = itemIndex - view.earlierItems;
    const event = view.items[index]?.event;
    if (event === undefined) break;
    const isOpen = isStillOpen(event, index, view);
    if (event.kind === "TEXT_CONTENT") {
      const isFirst = split.offset === 0;
      const cut = splitMarkdown(event.text, split, !isOpen);
      for (const [nth, piece] of cut.pieces.entries()) {
        entries.push({ type: "text", piece, isFirst: isFirst && nth === 0 });
      }
      split = cut.state;
    } else if (!isOpen) {
      entries.push({ type: "item", event });
    }
    if (isOpen) break;
    itemIndex += 1;
    split = EMPTY_SPLIT;
  }
  const ends = turnEndNotices(before, view);
  entries.push(...ends);
  const { state, error } = view;
  return { transcript: { itemIndex, split, state, error }, entries, ends };
}

/** Lists the items that are not printed yet. The first may be a text that is printed in part. Pure. */
export function liveItems({ itemIndex, split }: Transcript, view: TaskView): readonly LiveItem[] {
  return view.items.slice(Math.max(0, itemIndex - view.earlierItems)).map(({ event }, index) => {
    if (event.kind !== "TEXT_CONTENT") return { type: "item", event };
    const state = index === 0 ? split : EMPTY_SPLIT;
    return { type: "text", pieces: restOfText(event.text, state), isFirst: state.offset === 0 };
  });
}

function isStillOpen(event: ItemEvent, index: number, view: TaskView): boolean {
  if (event.kind === "TEXT_CONTENT") return view.isTextOpen && index === view.items.length - 1;
  if (event.kind !== "TOOL_CALL_UPDATE" || isTerminalStatus(event.toolCall.status)) return false;
  // After a restart, an unfinished call may stay unfinished. Such a call is not in `openCalls`.
  return view.openCalls.some(({ toolCallId }) => toolCallId === event.toolCall.toolCallId);
}

/**
 * Creates a notice if a turn failed or was cancelled. The view keeps an error until the next event, and this
 * function may be called several times before that event. An error that `before` has too is therefore not
 * reported again.
 */
export function turnEndNotices(
  before: Pick<Transcript, "state" | "error">,
  { state, error }: Pick<TaskView, "state" | "error">,
): readonly Notice[] {
  if (error !== undefined && error !== before.error) {
    return [{ type: "notice", text: error, isError: error !== TURN_CANCELLED }];
  }
  if (state === before.state || error !== undefined) return [];
  if (state === "failed") return [{ type: "notice", text: "the turn failed", isError: true }];
  return state === "canceled" ? [{ type: "notice", text: TURN_CANCELLED, isError: false }] : [];
}
