import { setImmediate as nextIteration } from "node:timers/promises";
import { ProtocolError, type TaskState } from "@dt/schema";
import { type Context, SpanStatusCode } from "@opentelemetry/api";
import { startTurn } from "../record/prompt-records.js";
import type { Recorder } from "../record/recorder.js";
import { type AcceptedPrompt, getRunningPrompt } from "../record/session-state.js";
import { recordTurnEnd } from "../record/turn-records.js";
import { inSpan, type SpanDescription } from "../tracing/in-span.js";
import type { TurnTraces } from "../tracing/turn-traces.js";
import type { EngineTurn } from "../turn/turn-engine.js";
import { createStoppableTurn, type StoppableTurn } from "./stoppable-turn.js";

/** Runs the turns of a session, one at a time, in the order of their prompts. */
export interface TurnWorker {
  /** Starts the next turn if a prompt waits and no turn runs. */
  wake(): void;
  /**
   * Cancels a turn that runs or is about to start. `withdrawn` lists the turn numbers of the
   * waiting prompts that are withdrawn with the turn. Resolves when the end of the turn and the withdrawals
   * are committed. Throws if the session closes first.
   */
  cancelTurn(turn: number, withdrawn: readonly number[]): Promise<void>;
  /** Stops the running turn without committing its end. Resolves when nothing runs. */
  close(): Promise<void>;
}

/** Options of {@link createTurnWorker}. */
export interface TurnWorkerOptions {
  readonly recorder: Recorder;
  /** Runs a turn, and calls `stopAtLimit` if the turn exceeds its working time. */
  runTurn(turn: Pick<EngineTurn, "signal" | "span" | "stopAtLimit">): Promise<void>;
  readonly traces: TurnTraces;
  onFault(reason: unknown): void;
}

/** Creates a worker that is idle until `wake` is called. */
export function createTurnWorker(options: TurnWorkerOptions): TurnWorker {
  const { recorder, traces, onFault } = options;
  const closing = new AbortController();
  let isClosing = false;
  // Cancelled turns by number. Each value lists the turn numbers of the prompts to withdraw.
  const cancelled = new Map<number, Set<number>>();
  let running: StoppableTurn | undefined;
  let isWorking = false;
  let work: Promise<void> | undefined;

  async function workThroughQueue(): Promise<void> {
    while (!isClosing) {
      if (recorder.state.turn === undefined) {
        const next = recorder.state.queue[0];
        if (next === undefined) {
          // There is no await between reading the queue and this line. Every later prompt therefore
          // finds the worker idle and wakes it.
          isWorking = false;
          return;
        }
        await startTurn(recorder, next);
      }
      const prompt = getRunningPrompt(recorder.state);
      const started = createStoppableTurn(prompt);
      running = started;
      // The turn may have been cancelled, or the session closed, while its start was being committed.
      if (cancelled.has(prompt.turn)) started.stop("cancelled");
      if (isClosing) started.stop("closing");
      await traceTurn(started);
      running = undefined;
      // A prompt may have started the next turn already, and that turn may be cancelled too.
      for (const turn of cancelled.keys()) if (turn <= prompt.turn) cancelled.delete(turn);
    }
  }

  /** Runs the turn to its end, inside a span. */
  async function traceTurn(started: StoppableTurn): Promise<void> {
    const { prompt } = started;
    try {
      await inSpan(turnSpan(prompt), traces.parentOf(prompt.turn), async ({ span, within }) => {
        traces.started(prompt.turn, within);
        const state = await runToEnd(started, within);
        span.setAttribute("dt.turn.state", state);
        if (state === "failed") span.setStatus({ code: SpanStatusCode.ERROR });
      });
    } finally {
      traces.ended(prompt.turn);
    }
  }

  /** Runs the turn and commits its end; returns "interrupted" if the session closes first. */
  async function runToEnd(
    started: StoppableTurn,
    span: Context,
  ): Promise<TaskState | "interrupted"> {
    const { prompt, signal } = started;
    let error: string | undefined;
    try {
      // Clients see the start of the turn first, because their sockets are written before the model is asked.
      await nextIteration();
      await options.runTurn({ signal, span, stopAtLimit: () => started.stop("over-limit") });
    } catch (reason) {
      error = reason instanceof Error ? reason.message : String(reason);
    }
    if (isClosing) return "interrupted";
    const end = started.endWith(error);
    await recordTurnEnd(recorder, { ...end, withdrawn: cancelled.get(prompt.turn) });
    return end.state;
  }

  function stop(): void {
    isClosing = true;
    running?.stop("closing");
    closing.abort();
  }

  return {
    wake() {
      if (isWorking || isClosing) return;
      isWorking = true;
      work = workThroughQueue().catch((reason: unknown) => {
        stop();
        onFault(reason);
      });
    },
    async cancelTurn(turn, withdrawn) {
      const isRunning = () => recorder.state.turn?.prompt.turn === turn;
      // This may replace the set of an earlier cancel. That is safe, because every cancel lists all waiting
      // prompts that it must withdraw, including those of the earlier cancel.
      cancelled.set(turn, new Set(withdrawn));
      // The turn to cancel may wait until the turn before it has committed its end. It is then stopped when it starts.
      if (running?.prompt.turn === turn) running.stop("cancelled");
      while (isRunning() && !isClosing) await recorder.nextChange(closing.signal);
      await recorder.flush();
      if (isRunning()) throw new ProtocolError("agent-busy", "the session is closing");
    },
    async close() {
      stop();
      await work;
    },
  };
}

function turnSpan({ taskId, turn, origin }: AcceptedPrompt): SpanDescription {
  const attributes = { "dt.task.id": taskId, "dt.turn": turn, "dt.prompt.from": origin.name };
  return { name: "turn", attributes };
}
