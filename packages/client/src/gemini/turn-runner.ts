import { isProtocolError } from "@dt/schema";
import { encodeGeminiPrompt } from "@dt/schema/gemini";
import type { A2aFrame, A2aTask } from "@dt/schema/wire";
import type { GeminiRecord } from "./gemini-record.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import {
  areTurnsIdle,
  findIdleTask,
  findNextTurn,
  type GeminiPrompt,
  type GeminiTurns,
  NO_TURNS,
  queuePrompt,
} from "./gemini-turns.js";
import { drain, openTurn, SilenceError } from "./open-turn.js";

const ABORT_REASON = "gemini-cli's server aborts a turn whose connection is gone";

/** Reads the turns of one task, and starts queued turns. */
export interface TurnRunner {
  /** True if no turn runs, starts or is queued. */
  isIdle(): boolean;
  /** True if the stream of the running turn is open. */
  isStreaming(): boolean;
  /**
   * Reads a stream to its end. `first` is a frame that the caller has already read. `shown` is the task
   * at the start of the stream; the caller passes `shown` if it does not know whether a turn runs.
   */
  read(first: A2aFrame | undefined, frames: AsyncIterable<A2aFrame>, shown?: A2aTask): void;
  /** Reads the stream of a task that seems to be idle, although a tool of the task may still be running. */
  join(frames: AsyncGenerator<A2aFrame>): Promise<void>;
  /** Sends a prompt now, or queues it if a turn runs. */
  send(prompt: GeminiPrompt, signal: AbortSignal | undefined): Promise<void>;
  /** Starts the next queued turn, if possible. */
  startNext(): Promise<void>;
  /**
   * Records that no more events of the running turn will arrive. `isClosed` is true if the task also
   * accepts no more messages.
   */
  lose(reason: unknown, isClosed?: boolean): void;
}

/** Creates the runner of a task whose streams have not been read yet. */
export function createTurnRunner(record: GeminiRecord, scope: GeminiTaskScope): TurnRunner {
  const { http, closing, origin, now } = scope;
  const { taskId } = record.memory();
  let turns = NO_TURNS;
  const set = (changed: Partial<GeminiTurns>) => {
    turns = { ...turns, ...changed };
  };

  function recordQueue(queue: readonly GeminiPrompt[]): void {
    set({ queue });
    record.recordQueue(queue);
  }

  function lose(reason: unknown, isClosed = false): void {
    set({ stream: undefined });
    record.apply({ type: "lost", reason: describeLoss(reason), at: now(), isClosed });
    void startNext();
  }

  async function read(
    first: A2aFrame | undefined,
    frames: AsyncIterable<A2aFrame>,
    shown?: A2aTask,
  ): Promise<void> {
    const own = {};
    set({ stream: own });
    let isSilent = first === undefined;
    const receive = (frame: A2aFrame) => {
      isSilent = false;
      if (turns.stream !== own) return;
      record.apply({ type: "frame", frame });
      if (frame.type !== "status-update" || !frame.isFinal) return;
      set({ stream: undefined });
      void startNext();
    };
    const reason = await readToEnd(first, frames, receive);
    if (turns.stream !== own) return;
    set({ stream: undefined });
    if (closing.aborted) return;
    const task = findIdleTask({ isSilent, reason, shown });
    if (task === undefined) {
      return lose(reason ?? `the stream ended in the middle of a turn; ${ABORT_REASON}`);
    }
    record.apply({ type: "idle", task, at: now() });
    void startNext();
  }

  async function startNext(): Promise<void> {
    if (closing.aborted) return;
    const next = findNextTurn(turns, record.memory());
    if (next === undefined) return;
    recordQueue(next === "discard" ? [] : turns.queue.slice(1));
    if (next === "discard") {
      return record.warn("queued prompts were not sent, because the task has ended");
    }
    await begin(next, undefined).catch((reason: unknown) => {
      record.apply({ type: "prompt", ...next, origin, at: now() });
      lose(reason);
    });
  }

  async function begin(prompt: GeminiPrompt, signal: AbortSignal | undefined): Promise<void> {
    set({ isBeginning: true });
    try {
      const message = encodeGeminiPrompt(prompt, { messageId: prompt.messageId, taskId });
      const { first, frames } = await openTurn(http, message, { closing, signal });
      record.apply({ type: "prompt", ...prompt, origin, at: now() });
      void read(first, frames);
    } finally {
      set({ isBeginning: false });
      record.log.wake();
    }
  }

  return {
    isIdle: () => areTurnsIdle(turns, record.memory()),
    isStreaming: () => turns.stream !== undefined,
    read: (first, frames, shown) => void read(first, frames, shown),
    async join(frames) {
      const first = await frames.next().catch(() => undefined);
      if (first === undefined || first.done === true) return;
      if (turns.stream === undefined) await read(first.value, frames);
      else await drain(frames);
    },
    async send(prompt, signal) {
      if (areTurnsIdle(turns, record.memory())) {
        return await begin(prompt, signal).catch((reason: unknown) => {
          void startNext();
          throw reason;
        });
      }
      // The peer discards prompts that are sent during a turn, so this client queues them.
      recordQueue(queuePrompt(turns.queue, prompt));
    },
    startNext,
    lose,
  };
}

/**
 * Reads a stream to its end, because the peer aborts a turn whose connection closes. Returns the reason if
 * the stream failed.
 */
async function readToEnd(
  first: A2aFrame | undefined,
  frames: AsyncIterable<A2aFrame>,
  receive: (frame: A2aFrame) => void,
): Promise<string | undefined> {
  try {
    if (first !== undefined) receive(first);
    for await (const frame of frames) receive(frame);
    return undefined;
  } catch (cause) {
    return describeLoss(cause);
  }
}

function describeLoss(reason: unknown): string {
  if (typeof reason === "string") return reason;
  const text = reason instanceof Error ? reason.message : String(reason);
  if (reason instanceof SilenceError) return text;
  if (!isProtocolError(reason)) return `${text}; ${ABORT_REASON}`;
  return reason.code === "invalid-message" ? `the agent's frame is invalid: ${text}` : text;
}
