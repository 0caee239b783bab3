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
import { advanceCalls, type CallChanged, type CallMove } from "./calls/advance-calls.js";
import { blockingQuestions } from "./calls/blocking-questions.js";
import type { JournalRecord } from "./journal-record.js";
import { createLedgerWriter, type LedgerWriter } from "./ledger-writer.js";
import { reduceSessionState } from "./reduce-session-state.js";
import {
  type AcceptedPrompt,
  getRunningPrompt,
  type RunningTurn,
  type SessionState,
} from "./session-state.js";

/** An event, and the state of its task after the event. The default state is `working`. */
export type Announcement = AgentEvent &
  Partial<Pick<EventHeader, "error">> & {
    readonly state?: TaskState;
    /** The turn of the event, if it differs from the turn of the change. */
    readonly turn?: number;
  };

/** Identifies a turn, and has the tier of the user who prompted it. */
type TurnKey = Pick<AcceptedPrompt, "turn" | "taskId" | "tier">;

/**
 * One change of a session: the records that change its state, and the events that subscribers see.
 */
export interface Change {
  readonly journal?: readonly JournalRecord[];
  readonly events?: readonly Announcement[];
  /** Returns events that depend on the state after the change; they follow `events`. */
  readonly announce?: (state: SessionState) => readonly Announcement[];
  /** The turn of the change. Default: the running turn. */
  readonly turn?: TurnKey;
  readonly receipt?: Receipt;
  /** True if the commit must survive a loss of power. */
  readonly isCritical?: boolean;
}

/** Holds the state of a session, and commits every change of the state to the ledger. */
export interface Recorder {
  readonly state: SessionState;
  /** Changes the state immediately, then commits. Resolves with the position before the first event of the change. */
  commit(change: Change): Promise<number>;
  /**
   * Applies steps to calls of the running turn. The records and events of the steps follow those of `change`
   * in the same commit. Resolves as {@link commit} does.
   */
  advance(moves: CallMove | readonly CallMove[], change?: Change): Promise<number>;
  /**
   * Commits an event of the running turn. Events that are published in the same tick share one commit.
   * {@link flush} reports a failure.
   */
  publish(event: Announcement): void;
  /** Publishes a call's live output without storing it. */
  publishLive(toolCall: ToolCall): void;
  /** Resolves when all changes so far are committed; rejects if any commit has ever failed. */
  flush(): Promise<void>;
  /** Number of events, and of changes without events, that are not committed yet. */
  readonly inFlight: number;
  /** Resolves when the next change is committed or refused, or when the signal aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/** Options of {@link createRecorder}. */
export interface RecorderOptions {
  readonly ledger: AgentLedger;
  readonly state: SessionState;
  readonly modelName: (state: SessionState) => string;
  /** Returns the trace id of a turn; undefined if tracing is off. */
  readonly traceIdOf?: (turn: number) => string | undefined;
  readonly now: () => Date;
}

/** Creates a recorder for a new or restored state. */
export function createRecorder(options: RecorderOptions): Recorder {
  return new LedgerRecorder(options);
}

/** This is a class, because closures would cost memory in every session. */
class LedgerRecorder implements Recorder {
  state: SessionState;
  private readonly options: Omit<RecorderOptions, "state">;
  private readonly writer: LedgerWriter;

  constructor({ state, ...options }: RecorderOptions) {
    this.state = state;
    this.options = options;
    this.writer = createLedgerWriter(options.ledger);
  }

  async commit(change: Change): Promise<number> {
    // After a failed commit the state is ahead of the ledger, so no further change is allowed.
    this.writer.check();
    const { journal = [], events = [] } = change;
    // A change may start or end a turn. The events of the change belong to the turn that runs afterwards. If
    // no turn runs afterwards, they belong to the turn that the change ended.
    const before = this.state;
    this.state = journal.reduce(reduceSessionState, before);
    const running = this.state.turn ?? before.turn;
    const question = findWaitingChange(this.state, journal);
    const further = change.announce?.(this.state) ?? [];
    const all = [...events, ...further, ...(question === undefined ? [] : [question])];
    const stamped = all.map((event) =>
      this.stamp(event, change.turn ?? getRunningPrompt({ turn: running }), running),
    );
    return await this.writer.append({
      events: stamped,
      journal: journal as readonly JsonObject[],
      ...(change.receipt !== undefined && { receipt: change.receipt }),
      ...(change.isCritical === true && { isCritical: true }),
    });
  }

  advance(moves: CallMove | readonly CallMove[], change: Change = {}): Promise<number> {
    const { turn } = this.state;
    const advanced = advanceCalls(turn?.calls ?? [], [moves].flat());
    return this.commit({
      ...change,
      journal: [...(change.journal ?? []), ...advanced.journal.map(markStarting)],
      events: [...(change.events ?? []), ...advanced.events],
      isCritical: change.isCritical === true || advanced.isCritical,
    });
  }

  publish(event: Announcement): void {
    this.writer.publish(this.stamp(event, getRunningPrompt(this.state), this.state.turn));
  }

  publishLive(toolCall: ToolCall): void {
    const event = { kind: "TOOL_CALL_UPDATE", toolCall } as const;
    this.options.ledger.publishLive(this.stamp(event, getRunningPrompt(this.state)));
  }

  flush(): Promise<void> {
    return this.writer.flush();
  }

  nextChange(signal: AbortSignal): Promise<void> {
    return this.writer.nextChange(signal);
  }

  get inFlight(): number {
    return this.writer.inFlight;
  }

  private stamp(event: Announcement, turn: TurnKey, running?: RunningTurn): StampedEvent {
    const { now, modelName, traceIdOf } = this.options;
    // An event of a command that runs beside the turn must not contain the token usage of the turn.
    const isOwn = event.turn === undefined && turn.turn === running?.prompt.turn;
    const usage = event.kind === "STATE_CHANGE" && isOwn ? running.usage : undefined;
    const traceId = traceIdOf?.(event.turn ?? turn.turn);
    return {
      taskId: turn.taskId,
      turn: turn.turn,
      state: "working",
      at: now().toISOString(),
      model: modelName(this.state),
      ...(turn.tier !== undefined && { userTier: turn.tier }),
      ...(usage !== undefined && { usage }),
      ...(traceId !== undefined && { traceId }),
      ...event,
    };
  }
}

/**
 * Builds a state change if the turn cannot continue without an answer. The state change repeats the open
 * questions for clients that read only the state of the task (RFC-14).
 */
function findWaitingChange(
  { turn }: SessionState,
  journal: readonly JournalRecord[],
): Announcement | undefined {
  const hasChangedCall = journal.some(
    ({ type }) => type === "call-changed" || type === "call-nested",
  );
  if (turn === undefined || !hasChangedCall) return undefined;
  const waiting = blockingQuestions(turn);
  return waiting.length === 0
    ? undefined
    : { kind: "STATE_CHANGE", waiting, state: "input-required" };
}

/** Adds a mark to the record of a call that starts, before any of its processes can run. */
function markStarting(record: CallChanged): CallChanged {
  return record.toolCall.status === "EXECUTING" ? { ...record, mark: createProcessMark() } : record;
}
