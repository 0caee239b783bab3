import {
  type AgentEvent,
  type EventHeader,
  isWaiting,
  type JsonObject,
  type Receipt,
  type StampedEvent,
  type TaskState,
  type ToolCall,
} from "@dt/schema";
import type { Ledger } from "../ledger/ledger.js";
import { type JournalRecord, reduceSessionState, type SessionState } from "./session-state.js";

/** A step of a session: how its state moves, and what observers see of it. */
export interface Change {
  readonly journal?: readonly JournalRecord[];
  readonly events?: readonly AgentEvent[];
  /** The task's state after it. Default: working. */
  readonly state?: TaskState;
  /** The turn that it belongs to. Default: the one that runs. */
  readonly turn?: { readonly turn: number; readonly taskId: string };
  readonly header?: Partial<Pick<EventHeader, "error" | "usage">>;
  readonly receipt?: Receipt;
  readonly isCritical?: boolean;
}

/** Couples a session's state with its ledger: nothing changes without being committed. */
export interface Recorder {
  readonly state: SessionState;
  /** Moves the state at once and commits it; resolves with the place of the change's first event. */
  commit(change: Change): Promise<number>;
  /** Shows a call's live output. */
  publishLive(toolCall: ToolCall): void;
  /** Resolves when everything so far is committed. */
  flush(): Promise<void>;
}

/** What a recorder needs. */
export interface RecorderOptions {
  readonly ledger: Ledger;
  readonly state: SessionState;
  readonly modelName: () => string;
  readonly now: () => Date;
}

/** Starts a recorder on a state that was restored or is empty. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { ledger, now, modelName } = options;
  let state = options.state;
  let lastAppend: Promise<unknown> = Promise.resolve();

  function stamp(event: AgentEvent, change: Change, taskState: TaskState): StampedEvent {
    const turn = change.turn ?? runningTurn(state);
    return {
      taskId: turn.taskId,
      turn: turn.turn,
      state: taskState,
      at: now().toISOString(),
      model: modelName(),
      ...change.header,
      ...event,
    };
  }

  return {
    get state() {
      return state;
    },
    async commit(change) {
      const { journal = [], events = [], state: taskState = "working" } = change;
      // Stamped with the turn that runs before or after, whichever there is.
      const before = state;
      state = journal.reduce(reduceSessionState, state);
      const turn = change.turn ?? runningTurn(state.turn === undefined ? before : state);
      const stamped = events.map((event) => stamp(event, { ...change, turn }, taskState));
      const question = questionsOf(state, journal);
      if (question !== undefined)
        stamped.push(stamp(question, { ...change, turn }, "input-required"));
      const append = ledger.append({
        events: stamped,
        journal: journal as readonly JsonObject[],
        ...(change.receipt !== undefined && { receipt: change.receipt }),
        ...(change.isCritical === true && { isCritical: true }),
      });
      lastAppend = append;
      return (await append) - stamped.length + 1;
    },
    publishLive(toolCall) {
      ledger.publishLive(stamp({ kind: "TOOL_CALL_UPDATE", toolCall }, {}, "working"));
    },
    async flush() {
      await lastAppend;
    },
  };
}

/**
 * The state change that follows when every open call waits: the turn needs someone. It repeats the
 * questions, so that whoever asks for the task sees them. (RFC-14)
 */
function questionsOf(
  { turn }: SessionState,
  journal: readonly JournalRecord[],
): AgentEvent | undefined {
  if (turn === undefined || !journal.some((record) => record.type === "call-changed"))
    return undefined;
  const open = turn.calls.filter(
    (call) => call.status === "PENDING" || call.status === "EXECUTING",
  );
  if (open.length === 0 || !open.every(isWaiting)) return undefined;
  return { kind: "STATE_CHANGE", waiting: open };
}

function runningTurn({ turn }: SessionState): { turn: number; taskId: string } {
  if (turn === undefined) throw new Error("no turn is running");
  return { turn: turn.prompt.turn, taskId: turn.prompt.taskId };
}
