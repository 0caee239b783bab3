import type { Part } from "@dt/schema";

/** A prompt of this client. */
export interface GeminiPrompt {
  readonly messageId: string;
  readonly parts: readonly Part[];
}

/** The turns of one task: the stream of the running one, and the prompts that wait. */
export interface GeminiTurns {
  /** How many streams were opened so far. */
  readonly opened: number;
  /** Number of the stream that brings the running turn; undefined if none does. */
  readonly stream: number | undefined;
  /** A prompt was sent, and the peer has not begun its turn yet. */
  readonly isBeginning: boolean;
  readonly queue: readonly GeminiPrompt[];
}

/** A change of the turns. */
export type TurnMove =
  | { readonly type: "stream-opened" | "stream-over" }
  | { readonly type: "beginning" | "begun" }
  | { readonly type: "queued"; readonly prompt: GeminiPrompt }
  | { readonly type: "dequeued" | "discarded" };

/** The turns of a task of which no stream was read yet. */
export const NO_TURNS: GeminiTurns = {
  opened: 0,
  stream: undefined,
  isBeginning: false,
  queue: [],
};

/** The turns after a move. */
export function advanceTurns(turns: GeminiTurns, move: TurnMove): GeminiTurns {
  switch (move.type) {
    case "stream-opened":
      return { ...turns, opened: turns.opened + 1, stream: turns.opened + 1 };
    case "stream-over":
      return { ...turns, stream: undefined };
    case "beginning":
    case "begun":
      return { ...turns, isBeginning: move.type === "beginning" };
    case "queued":
      return { ...turns, queue: [...turns.queue, move.prompt] };
    case "dequeued":
      return { ...turns, queue: turns.queue.slice(1) };
    case "discarded":
      return { ...turns, queue: [] };
  }
}

/** The task that the turns belong to. */
export interface TurnsTask {
  /** The last turn has ended. */
  readonly isEnded: boolean;
  /** The peer accepts no more messages for the task. */
  readonly isClosed: boolean;
}

/** The prompt to send next, or "discard" if no prompt of the queue can be sent any more. */
export function findNextTurn(
  turns: GeminiTurns,
  { isEnded, isClosed }: TurnsTask,
): GeminiPrompt | "discard" | undefined {
  if (turns.stream !== undefined || turns.isBeginning || !isEnded) return undefined;
  const [next] = turns.queue;
  return next !== undefined && isClosed ? "discard" : next;
}

/** True if no turn runs, begins or waits. */
export function isAtRest(turns: GeminiTurns, isEnded: boolean): boolean {
  const { stream, isBeginning, queue } = turns;
  return isEnded && stream === undefined && !isBeginning && queue.length === 0;
}

/** A stream that was read to its end while its turn was running. */
export interface TurnStreamEnd {
  readonly isClosing: boolean;
  /** The stream brought no frame. */
  readonly isSilent: boolean;
  readonly hasFailed: boolean;
  /** The task was shown before the stream began, so that silence means rest. */
  readonly wasShown: boolean;
}

/** The meaning of such an end for the task. */
export function judgeStreamEnd(end: TurnStreamEnd): "left" | "at-rest" | "lost" {
  if (end.isClosing) return "left";
  return end.isSilent && !end.hasFailed && end.wasShown ? "at-rest" : "lost";
}
