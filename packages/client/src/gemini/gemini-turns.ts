import { isTerminalState, type Part, ProtocolError } from "@dt/schema";
import { encodeGeminiPrompt, type GeminiMemory } from "@dt/schema/gemini";
import type { A2aTask } from "@dt/schema/wire";

/** Maximum number of prompts in the queue of a task. */
const MAX_QUEUE = 100;

/** A prompt of this client. */
export interface GeminiPrompt {
  readonly messageId: string;
  readonly parts: readonly Part[];
}

/** Turns of one task: the stream of the running turn, and the queued prompts. */
export interface GeminiTurns {
  /** Object that identifies the stream of the running turn; undefined if no stream is open. */
  readonly stream: object | undefined;
  /** True if a prompt was sent and the peer has not started the prompt's turn yet. */
  readonly isBeginning: boolean;
  readonly queue: readonly GeminiPrompt[];
}

/** Turns of a task whose streams have not been read yet. */
export const NO_TURNS: GeminiTurns = {
  stream: undefined,
  isBeginning: false,
  queue: [],
};

type TurnsTask = Pick<GeminiMemory, "state" | "isClosed">;

/** Returns true if no turn of the task runs or starts. */
function isFree({ stream, isBeginning }: GeminiTurns, { state }: TurnsTask): boolean {
  return stream === undefined && !isBeginning && isTerminalState(state);
}

/** Finds the prompt to send next; "discard" if the task no longer accepts prompts. */
export function findNextTurn(
  turns: GeminiTurns,
  task: TurnsTask,
): GeminiPrompt | "discard" | undefined {
  const next = isFree(turns, task) ? turns.queue[0] : undefined;
  return next && task.isClosed ? "discard" : next;
}

/** Returns true if no turn runs, starts or is queued. */
export function areTurnsIdle(turns: GeminiTurns, task: TurnsTask): boolean {
  return isFree(turns, task) && turns.queue.length === 0;
}

/** Adds a prompt to the queue. Throws if the prompt cannot be sent, or if the queue is full. */
export function queuePrompt(
  queue: readonly GeminiPrompt[],
  prompt: GeminiPrompt,
): readonly GeminiPrompt[] {
  // The prompt is encoded now, so that the caller gets the error if the prompt cannot be sent.
  encodeGeminiPrompt(prompt, prompt);
  if (queue.length < MAX_QUEUE) return [...queue, prompt];
  throw new ProtocolError("agent-busy", `${MAX_QUEUE} prompts are queued already; wait for a turn`);
}

/** A stream that has ended. */
export interface EndedStream {
  /** True if the stream had no frames, apart from the task in `shown`. */
  readonly isSilent: boolean;
  /** Reason why the stream failed; undefined if the peer closed it. */
  readonly reason: string | undefined;
  /** Task at the start of the stream; undefined if a turn was certainly running then. */
  readonly shown: A2aTask | undefined;
}

/**
 * Returns the idle task if a stream ended because no turn ran; undefined if the stream ended during a turn,
 * which is then lost.
 */
export function findIdleTask({ isSilent, reason, shown }: EndedStream): A2aTask | undefined {
  return isSilent && reason === undefined ? shown : undefined;
}
