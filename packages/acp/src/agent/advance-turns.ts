import {
  isTerminalState,
  type SessionEvent,
  type TaskState,
  TURN_CANCELLED,
  textOf,
} from "@dt/schema";

/** The turn of a prompt or command of the editor. The turn runs, waits in the queue, or is not known to dt yet. */
export interface ExpectedTurn {
  readonly id: number;
  readonly text: string;
  /** True for a command that the person did not type, such as a change of the mode. Its text is not shown. */
  readonly isSilent: boolean;
  /** Task and message of the turn, once it runs. */
  readonly running?: { readonly taskId: string; readonly messageId: string };
  /** Message id of the prompt while it waits in the queue. */
  readonly queuedId?: string;
  /**
   * True if the prompt has left the queue. If the next event does not start the turn of the prompt, the prompt
   * was withdrawn.
   */
  readonly hasLeftQueue?: boolean;
}

/** The turns of one editor in the order of its prompts. */
export type Turns = readonly ExpectedTurn[];

/** The end of a turn. */
export type TurnOutcome =
  | { readonly type: "completed" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly error: string };

/** The turns that are still expected after an event, and the turns that the event ended. */
export interface AdvancedTurns {
  readonly turns: Turns;
  readonly ended: readonly { readonly id: number; readonly outcome: TurnOutcome }[];
}

/**
 * Follows the editor's own turns through the events of the session. `isOwn` is true for a prompt of this
 * editor. Such a prompt starts the first expected turn that fits: a turn whose prompt waited in the queue
 * fits by the message id, any other turn by the text. Pure.
 */
export function advanceTurns(
  turns: Turns,
  event: SessionEvent,
  isOwn: (event: SessionEvent & { readonly kind: "USER_PROMPT" }) => boolean,
): AdvancedTurns {
  switch (event.kind) {
    case "USER_PROMPT":
      return withoutWithdrawn(isOwn(event) ? startTurn(turns, event) : turns);
    case "QUEUE":
      return withoutWithdrawn(turns, event.prompts);
    case "STATE_CHANGE":
      return endTurns(withoutWithdrawn(turns), event);
    default:
      return withoutWithdrawn(turns);
  }
}

/** Returns the running turn of a task. */
export function findRunningTurn(turns: Turns, taskId: string): ExpectedTurn | undefined {
  return turns.find(({ running }) => running?.taskId === taskId);
}

function startTurn(turns: Turns, event: SessionEvent & { readonly kind: "USER_PROMPT" }): Turns {
  const text = textOf(event.parts);
  const { taskId, messageId } = event;
  const index = turns.findIndex((turn) => {
    if (turn.running !== undefined) return false;
    return turn.queuedId === undefined ? turn.text === text : turn.queuedId === messageId;
  });
  const turn = turns[index];
  if (turn === undefined) return turns;
  const { id, isSilent } = turn;
  return turns.with(index, { id, text, isSilent, running: { taskId, messageId } });
}

/** Ends the turns whose prompts were withdrawn. Notes which prompts wait in the queue, if `queue` is given. */
function withoutWithdrawn(
  turns: Turns,
  queue?: readonly { readonly messageId: string; readonly text: string }[],
): AdvancedTurns {
  const kept: ExpectedTurn[] = [];
  const ended: { id: number; outcome: TurnOutcome }[] = [];
  const taken = new Set<string>();
  for (const turn of turns) {
    if (turn.hasLeftQueue === true && turn.running === undefined) {
      ended.push({ id: turn.id, outcome: { type: "cancelled" } });
      continue;
    }
    const queued = queue && findQueued(turn, queue, taken);
    if (queued !== undefined) taken.add(queued);
    const isGone = queue !== undefined && turn.queuedId !== undefined && queued === undefined;
    const { queuedId = queued } = turn;
    kept.push({
      ...turn,
      ...(queuedId !== undefined && { queuedId }),
      ...(isGone && { hasLeftQueue: true }),
    });
  }
  return { turns: kept, ended };
}

function findQueued(
  { text, queuedId, running }: ExpectedTurn,
  queue: readonly { readonly messageId: string; readonly text: string }[],
  taken: ReadonlySet<string>,
): string | undefined {
  if (running !== undefined) return undefined;
  return queue.find(
    ({ messageId, text: shown }) =>
      !taken.has(messageId) && (queuedId === undefined ? shown === text : messageId === queuedId),
  )?.messageId;
}

function endTurns(
  { turns, ended }: AdvancedTurns,
  { state, taskId, error, waiting = [] }: SessionEvent & { readonly kind: "STATE_CHANGE" },
): AdvancedTurns {
  const isOver = isTerminalState(state) || (state === "input-required" && waiting.length === 0);
  if (!isOver) return { turns, ended };
  const outcome = outcomeOf(state, error);
  const isEnded = ({ running }: ExpectedTurn) => running?.taskId === taskId;
  return {
    turns: turns.filter((turn) => !isEnded(turn)),
    ended: [...ended, ...turns.filter(isEnded).map(({ id }) => ({ id, outcome }))],
  };
}

function outcomeOf(state: TaskState, error: string | undefined): TurnOutcome {
  if (state === "canceled" || error === TURN_CANCELLED) return { type: "cancelled" };
  if (error !== undefined) return { type: "failed", error };
  if (state === "completed" || state === "input-required") return { type: "completed" };
  return { type: "failed", error: `the task is ${state}` };
}
