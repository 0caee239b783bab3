import type {
  AgentEvent,
  AgentLedger,
  EventHeader,
  JsonObject,
  Receipt,
  StampedEvent,
  TaskState,
  ToolCall,
} from "@dt/schema";
import { createProcessMark } from "../workspace/processes/process-mark.js";
import { advanceCalls, type CallChanged, type CallMove } from "./advance-calls.js";
import type { JournalRecord } from "./journal-record.js";
import { reduceSessionState } from "./reduce-session-state.js";
import {
  getRunningPrompt,
  type RunningTurn,
  type SessionState,
  type TakenPrompt,
} from "./session-state.js";
import { standingQuestions } from "./standing-questions.js";

/** An event, and the state that its task is in after it. Default: working. */
export type Announcement = AgentEvent &
  Partial<Pick<EventHeader, "error">> & {
    readonly state?: TaskState;
    /** The turn of the same task that it belongs to, where that is not the change's. */
    readonly turn?: number;
  };

/** What tells a turn from others. */
type TurnKey = Pick<TakenPrompt, "turn" | "taskId">;

/** A step of a session: how its state moves, and what observers see of it. */
export interface Change {
  readonly journal?: readonly JournalRecord[];
  readonly events?: readonly Announcement[];
  /** The turn that it belongs to. Default: the one that runs. */
  readonly turn?: TurnKey;
  readonly receipt?: Receipt;
  readonly isCritical?: boolean;
}

/** Couples a session's state with its ledger: nothing changes without being committed. */
export interface Recorder {
  readonly state: SessionState;
  /** Moves the state at once and commits it; resolves with the position before its first event. */
  commit(change: Change): Promise<number>;
  /**
   * Takes steps with calls of the running turn: their records and events are one commit, after those of
   * `change`. Resolves as {@link commit} does.
   */
  advance(moves: CallMove | readonly CallMove[], change?: Change): Promise<number>;
  /** Shows a call's live output. */
  publishLive(toolCall: ToolCall): void;
  /** Resolves when everything so far is committed; rejects when anything ever could not be. */
  flush(): Promise<void>;
  /** How many commits are on their way. */
  readonly inFlight: number;
  /** Resolves when the next change is committed, or on abort. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/** What a recorder needs. */
export interface RecorderOptions {
  readonly ledger: AgentLedger;
  readonly state: SessionState;
  readonly modelName: (state: SessionState) => string;
  /** The trace that a turn belongs to, where someone traces. */
  readonly traceIdOf?: (turn: number) => string | undefined;
  readonly now: () => Date;
}

/** Starts a recorder on a state that was restored or is empty. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { ledger, now, modelName } = options;
  let state = options.state;
  let lastAppend: Promise<unknown> = Promise.resolve();
  let inFlight = 0;
  let fault: { readonly reason: unknown } | undefined;
  let watchers: (() => void)[] = [];

  function stamp(event: Announcement, turn: TurnKey, running?: RunningTurn): StampedEvent {
    // What runs beside the turn has used none of its tokens.
    const isOwn = event.turn === undefined && turn.turn === running?.prompt.turn;
    const usage = event.kind === "STATE_CHANGE" && isOwn ? running.usage : undefined;
    const traceId = options.traceIdOf?.(event.turn ?? turn.turn);
    return {
      taskId: turn.taskId,
      turn: turn.turn,
      state: "working",
      at: now().toISOString(),
      model: modelName(state),
      ...(usage !== undefined && { usage }),
      ...(traceId !== undefined && { traceId }),
      ...event,
    };
  }

  async function commit(change: Change): Promise<number> {
    // What could not be committed did not happen: nothing may be built on it.
    if (fault !== undefined) throw fault.reason;
    const { journal = [], events = [] } = change;
    // Stamped with the turn that runs before or after, whichever there is.
    const before = state;
    state = journal.reduce(reduceSessionState, state);
    const running = state.turn ?? before.turn;
    const question = questionsOf(state, journal);
    const stamped = [...events, ...(question === undefined ? [] : [question])].map((event) =>
      stamp(event, change.turn ?? getRunningPrompt({ turn: running }), running),
    );
    inFlight += 1;
    try {
      const append = ledger.append({
        events: stamped,
        journal: journal as readonly JsonObject[],
        ...(change.receipt !== undefined && { receipt: change.receipt }),
        ...(change.isCritical === true && { isCritical: true }),
      });
      lastAppend = append;
      return await append;
    } catch (reason) {
      fault ??= { reason };
      throw reason;
    } finally {
      inFlight -= 1;
      const told = watchers;
      watchers = [];
      for (const tell of told) tell();
    }
  }

  return {
    get state() {
      return state;
    },
    commit,
    advance(moves, change = {}) {
      const { turn } = state;
      const advanced = advanceCalls(turn?.calls ?? [], [moves].flat());
      return commit({
        ...change,
        journal: [...(change.journal ?? []), ...advanced.journal.map(markStarting)],
        events: [...(change.events ?? []), ...advanced.events],
        isCritical: change.isCritical === true || advanced.isCritical,
      });
    },
    publishLive(toolCall) {
      ledger.publishLive(stamp({ kind: "TOOL_CALL_UPDATE", toolCall }, getRunningPrompt(state)));
    },
    async flush() {
      await lastAppend;
      if (fault !== undefined) throw fault.reason;
    },
    nextChange(signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const finish = () => {
          signal.removeEventListener("abort", finish);
          resolve();
        };
        signal.addEventListener("abort", finish);
        watchers.push(finish);
      });
    },
    get inFlight() {
      return inFlight;
    },
  };
}

/**
 * The state change that follows when nothing can go on without someone. It repeats the questions, so
 * that whoever asks for the task sees them. (RFC-14)
 */
function questionsOf(
  { turn }: SessionState,
  journal: readonly JournalRecord[],
): Announcement | undefined {
  const hasMoved = journal.some(({ type }) => type === "call-changed" || type === "call-nested");
  if (turn === undefined || !hasMoved) return undefined;
  const waiting = standingQuestions(turn);
  return waiting.length === 0
    ? undefined
    : { kind: "STATE_CHANGE", waiting, state: "input-required" };
}

/** Marks a call that starts, before any process of it can run. */
function markStarting(record: CallChanged): CallChanged {
  return record.toolCall.status === "EXECUTING" ? { ...record, mark: createProcessMark() } : record;
}
