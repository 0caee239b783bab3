import {
  type Caller,
  isTerminalState,
  isWaitingState,
  openQuestions,
  type SessionEvent,
  type TaskView,
  type Ticket,
} from "@dt/schema";
import type { Dialect, StreamFrame } from "@dt/schema/wire";
import type { LoggedEvent, SessionLog } from "../../log/session-log.js";
import { pullBatches } from "../../log/subscribers/pull-batches.js";
import { createStreamEncoder } from "./stream-encoder.js";

/** The turn to read, and the position to start from. */
export interface TurnEventsOptions extends Ticket {
  readonly log: SessionLog;
  /** Id of the message whose turn is read. */
  readonly messageId: string;
  /** Position that the client had reached when it sent the message again. */
  readonly reachedPosition?: number;
  /** True if the message was sent to join a running turn. */
  readonly isSteering?: boolean;
  /** The client that subscribes. */
  readonly caller?: Caller;
  /** True if a question does not end the stream. Default: false. */
  readonly staysOpenAtQuestions?: boolean;
  readonly signal: AbortSignal;
}

/** Options of {@link turnStream}. `memory` is the state of the dialect after the start of the stream. */
export interface TurnStreamOptions extends TurnEventsOptions {
  readonly dialect: Dialect;
  readonly memory: unknown;
}

/** Events of a turn. `isEnded` is true if the last of them ends the stream of the request. */
export interface TurnBatch {
  readonly events: readonly LoggedEvent[];
  readonly isEnded: boolean;
}

/**
 * Yields the frames of one turn for the request that started the turn or answered its question. The stream ends with
 * the turn or, in most dialects, with its next question. The prompt of the turn is left out. (RFC appendix A) The
 * event that ends the stream is marked as final.
 */
export async function* turnStream(
  options: TurnStreamOptions,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { dialect, memory } = options;
  const { staysOpenAtQuestions } = dialect.traits;
  const encode = createStreamEncoder(dialect, memory, { views: await findStartView(options) });
  const dependsOnPrompt = !dialect.sharesFrames || dialect.chunksReply;
  for await (const { events, isEnded } of turnEvents({ ...options, staysOpenAtQuestions })) {
    const frames: StreamFrame[] = [];
    const last = isEnded ? events.at(-1) : undefined;
    for (const logged of events) {
      const isLast = logged === last;
      const isPrompt = logged.event.kind === "USER_PROMPT";
      // The prompt is not sent. If later frames depend on earlier events, the prompt must still be encoded.
      if (isPrompt && !dependsOnPrompt) continue;
      const encoded = encode(logged, isLast);
      if (!isPrompt) frames.push(...encoded);
      if (isLast && encoded.length === 0) {
        frames.push(...encode(await toStateChange(logged, options), true));
      }
    }
    if (frames.length > 0) yield frames;
  }
}

// Finds the task as it was at the start of a stream. A stream that starts with its message needs no task, because a
// message starts a new reply.
async function findStartView(options: TurnStreamOptions): Promise<readonly TaskView[]> {
  const { dialect, log, taskId, afterPosition, reachedPosition = afterPosition } = options;
  if (!dialect.chunksReply || reachedPosition === afterPosition) return [];
  return [await log.viewAt(taskId, reachedPosition)];
}

/**
 * Yields the events of one turn after a position, until the turn ends or asks a question. If the prompt was withdrawn,
 * there is no turn, and the stream ends when the task waits or ends.
 */
export async function* turnEvents(
  options: TurnEventsOptions,
): AsyncGenerator<TurnBatch, void, undefined> {
  const { log, taskId, afterPosition, reachedPosition = afterPosition, caller, signal } = options;
  if (await isOver(options)) return;
  let isDropped = false;
  for await (const { events, live } of pullBatches(log, reachedPosition, signal, caller)) {
    const own: LoggedEvent[] = [];
    let isEnded = false;
    for (const logged of [...events, ...live]) {
      const { event } = logged;
      const isOfTask = event.taskId === taskId;
      // An event of a later turn means that this turn is over, unless the event only queues a prompt.
      if (isOfLaterTurn(logged, options) && !isDropped) {
        if (own.length > 0) yield { events: own, isEnded: false };
        return;
      }
      const endsStream = isStreamEnd(event, options);
      // If the task has ended, this turn is over too, because a task does not end while one of its prompts waits.
      const isLast = isOfTask && endsStream && (isDropped || isTerminalState(event.state));
      if (!isLast && !isOfTurn(logged, options)) continue;
      own.push(logged);
      if (event.kind === "QUEUE") isDropped = await isWithdrawn(logged, options);
      isEnded = endsStream || (isDropped && isWaitingState(event.state));
      if (isEnded) break;
    }
    if (own.length > 0) yield { events: own, isEnded };
    if (isEnded) return;
  }
}

// Returns true if the client has seen the last event of the turn. The turn of a queued message is not over.
async function isOver(options: TurnEventsOptions): Promise<boolean> {
  const { log, taskId, messageId, afterPosition, reachedPosition = afterPosition } = options;
  // A message that joins a turn has no event in the log yet. Its turn is not over, even if the task waits for
  // an answer now.
  if (options.isSteering === true && reachedPosition <= afterPosition) return false;
  if (reachedPosition > afterPosition) {
    const [last] = await log.read(reachedPosition - 1);
    if (last !== undefined && isOfTurn(last, options) && isStreamEnd(last.event, options))
      return true;
    if (last !== undefined && isOfLaterTurn(last, options)) return true;
  }
  const view = await log.view(taskId);
  const { cursor, state, queue } = view;
  if (cursor === undefined || !isWaitingState(state)) return false;
  if (options.staysOpenAtQuestions === true && openQuestions(view).length > 0) return false;
  if (queue.some((prompt) => prompt.messageId === messageId)) return false;
  return log.cursors.decode(cursor).position <= reachedPosition;
}

// Returns true if an event belongs to the turn. Events of turn 0 were written by the server itself, for a task whose
// agent could not be opened again.
function isOfTurn(logged: LoggedEvent, { turn, taskId }: TurnEventsOptions): boolean {
  return logged.turn === turn || (logged.turn === 0 && logged.event.taskId === taskId);
}

function isOfLaterTurn({ event, turn }: LoggedEvent, options: TurnEventsOptions): boolean {
  return event.taskId === options.taskId && turn > options.turn && event.kind !== "QUEUE";
}

/** Returns the position of the last event in a view; 0 if the view has no event. */
export function positionOf({ cursor }: TaskView, log: SessionLog): number {
  return cursor === undefined ? 0 : log.cursors.decode(cursor).position;
}

/** Returns true if the stream of a sent message ends with this event. */
function isStreamEnd(
  event: SessionEvent,
  { staysOpenAtQuestions = false }: Pick<TurnEventsOptions, "staysOpenAtQuestions">,
): boolean {
  if (event.kind !== "STATE_CHANGE" || !isWaitingState(event.state)) return false;
  return !(staysOpenAtQuestions && event.waiting?.length);
}

// Returns true if this event shows that the prompt was withdrawn: the prompt left the queue, and the next event is not
// of the turn of the prompt.
async function isWithdrawn(
  { event, position }: LoggedEvent,
  { log, turn, messageId }: TurnEventsOptions,
): Promise<boolean> {
  if (event.kind !== "QUEUE") return false;
  if (event.prompts.some((prompt) => prompt.messageId === messageId)) return false;
  const [next] = await log.read(position);
  return next?.turn !== turn;
}

// Converts the last event of a withdrawn prompt, which is a change of the queue, to a change of state. Clients get the
// change of state if their dialect does not encode changes of the queue.
async function toStateChange(
  { event, position, turn }: LoggedEvent,
  { log }: Pick<TurnEventsOptions, "log">,
): Promise<LoggedEvent> {
  const { taskId, contextId, state, at, cursor } = event;
  const waiting = state === "input-required" ? openQuestions(await log.view(taskId)) : [];
  const header = { taskId, contextId, state, at, ...(cursor !== undefined && { cursor }) };
  return {
    position,
    turn,
    event: { kind: "STATE_CHANGE", waiting, ...header },
    encoded: new Map(),
  };
}
