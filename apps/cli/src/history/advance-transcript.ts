import { type ItemEvent, isTerminalStatus, type TaskState, type TaskView } from "@dt/schema";
import {
  emptySplit,
  restOfText,
  type SplitState,
  splitMarkdown,
  type TextPiece,
} from "../text/split-markdown.js";

/** Something that has settled: it is printed once and never changes. */
export type Entry =
  | { readonly type: "item"; readonly event: ItemEvent }
  /** A part of an answer; `isFirst` where the answer begins. */
  | { readonly type: "text"; readonly piece: TextPiece; readonly isFirst: boolean }
  /** Items that came and went before they could be printed, or before this screen was there. */
  | { readonly type: "gap"; readonly count: number }
  | Notice;

/** A line that nobody said: how a turn ended, or what the screen has to say. */
export interface Notice {
  readonly type: "notice";
  readonly text: string;
  readonly isError: boolean;
}

/** A notice, and how many items were there before it. */
export interface PlacedNotice extends Notice {
  readonly place: number;
}

/** What is still going on: it is drawn anew with every frame. */
export type LiveItem =
  | { readonly type: "item"; readonly event: ItemEvent }
  | { readonly type: "text"; readonly pieces: readonly TextPiece[]; readonly isFirst: boolean };

/** How much of a conversation is printed. */
export interface Transcript {
  /** The place of the first item that is not printed whole. */
  readonly place: number;
  /** How much of that item is printed, where it is text. */
  readonly split: SplitState;
  readonly state: TaskState;
  readonly error: string | undefined;
}

/** The transcript of nothing. */
export const emptyTranscript: Transcript = {
  place: 0,
  split: emptySplit,
  state: "submitted",
  error: undefined,
};

/** What a step of the conversation brings to be printed. */
export interface Advance {
  readonly transcript: Transcript;
  readonly entries: readonly Entry[];
  /** Those of them that tell how a turn ended. */
  readonly ends: readonly Notice[];
}

/**
 * Takes a view to what is printed of it: everything from the last place up to the first item that may
 * still change. Costs what is new, not what is there. Pure.
 */
export function advanceTranscript(before: Transcript, view: TaskView): Advance {
  const entries: Entry[] = [];
  let { place, split } = before;
  if (place < view.earlierItems) {
    entries.push({ type: "gap", count: view.earlierItems - place });
    place = view.earlierItems;
    split = emptySplit;
  }
  for (;;) {
    const index = place - view.earlierItems;
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
    place += 1;
    split = emptySplit;
  }
  const ends = endOf(before, view);
  entries.push(...ends);
  const { state, error } = view;
  return { transcript: { place, split, state, error }, entries, ends };
}

/** What is not printed yet. */
export function liveItems({ place, split }: Transcript, view: TaskView): readonly LiveItem[] {
  return view.items.slice(Math.max(0, place - view.earlierItems)).map(({ event }, index) => {
    if (event.kind !== "TEXT_CONTENT") return { type: "item", event };
    const state = index === 0 ? split : emptySplit;
    return { type: "text", pieces: restOfText(event.text, state), isFirst: state.offset === 0 };
  });
}

function isStillOpen(event: ItemEvent, index: number, view: TaskView): boolean {
  if (event.kind === "TEXT_CONTENT") return view.isTextOpen && index === view.items.length - 1;
  if (event.kind !== "TOOL_CALL_UPDATE" || isTerminalStatus(event.toolCall.status)) return false;
  // A call that a restart or a lost peer left behind will not end any more.
  return view.openCalls.some(({ toolCallId }) => toolCallId === event.toolCall.toolCallId);
}

/** How a turn ended, where that is not seen in what it said. An error stands until the next event. */
export function endOf(
  before: Pick<Transcript, "state" | "error">,
  { state, error }: Pick<TaskView, "state" | "error">,
): readonly Notice[] {
  if (error !== undefined && error !== before.error) {
    return [{ type: "notice", text: error, isError: true }];
  }
  if (state === before.state || error !== undefined) return [];
  if (state === "failed") return [{ type: "notice", text: "the turn failed", isError: true }];
  return state === "canceled"
    ? [{ type: "notice", text: "the turn was cancelled", isError: false }]
    : [];
}
