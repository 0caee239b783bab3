import { isTerminalState, type Part, ProtocolError } from "@dt/schema";
import { encodeGeminiPrompt, type GeminiMemory } from "@dt/schema/gemini";
import type { A2aTask } from "@dt/schema/wire";

/** The most prompts that wait for their turn. */
const MAX_QUEUE = 100;

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

/** Turns of a task of which no stream has been read yet. */
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

/** Adds a prompt to the queue. Throws if the prompt cannot be sent, or if the queue is full. */
export function queuePrompt(
  queue: readonly GeminiPrompt[],
  prompt: GeminiPrompt,
): readonly GeminiPrompt[] {
  // Encoding it now reports a fault to the caller instead of losing it later.
  encodeGeminiPrompt(prompt, prompt);
  if (queue.length < MAX_QUEUE) return [...queue, prompt];
  throw new ProtocolError("agent-busy", `${MAX_QUEUE} prompts are queued already; wait for a turn`);
}

/** A stream that has ended. */
export interface EndedStream {
  /** True if it brought no frame. */
  readonly isSilent: boolean;
  /** The reason of its failure; undefined if the peer closed it. */
  readonly reason: string | undefined;
  /** The task that the stream began with, if it did. */
  readonly shown: A2aTask | undefined;
}

/**
 * The task as it rests, if a stream ended because there was nothing to report.
 * Any other end in the middle of a turn is a loss.
 */
export function findRest({ isSilent, reason, shown }: EndedStream): A2aTask | undefined {
  return isSilent && reason === undefined ? shown : undefined;
}
