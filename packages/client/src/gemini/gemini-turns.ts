import { isTerminalState, type Part } from "@dt/schema";
import type { GeminiMemory } from "@dt/schema/gemini";

/** A prompt of this client. */
export interface GeminiPrompt {
  readonly messageId: string;
  readonly parts: readonly Part[];
}

/** The turns of one task: the stream of the running one, and the prompts that wait. */
export interface GeminiTurns {
  /** Identity of the stream that brings the running turn; undefined if none does. */
  readonly stream: object | undefined;
  /** A prompt was sent, and the peer has not begun its turn yet. */
  readonly isBeginning: boolean;
  readonly queue: readonly GeminiPrompt[];
}

/** The turns of a task of which no stream was read yet. */
export const NO_TURNS: GeminiTurns = {
  stream: undefined,
  isBeginning: false,
  queue: [],
};

type TurnsTask = Pick<GeminiMemory, "state" | "isClosed">;

/** True if no turn of the task runs or begins. */
function isFree({ stream, isBeginning }: GeminiTurns, { state }: TurnsTask): boolean {
  return stream === undefined && !isBeginning && isTerminalState(state);
}

/** The prompt to send next, or "discard" if no prompt of the queue can be sent any more. */
export function findNextTurn(
  turns: GeminiTurns,
  task: TurnsTask,
): GeminiPrompt | "discard" | undefined {
  const next = isFree(turns, task) ? turns.queue[0] : undefined;
  return next && task.isClosed ? "discard" : next;
}

/** True if no turn runs, begins or waits. */
export function isAtRest(turns: GeminiTurns, task: TurnsTask): boolean {
  return isFree(turns, task) && turns.queue.length === 0;
}
