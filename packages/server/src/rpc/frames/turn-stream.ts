import {
  type Caller,
  emptyTaskView,
  isRestingState,
  isTerminalState,
  openQuestions,
  reduceTaskView,
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
  /** The message that the turn belongs to. */
  readonly messageId: string;
  /** How far whoever sent the message again has heard of it. */
  readonly reachedPosition?: number;
  /** Who follows it. */
  readonly caller?: Caller;
  readonly signal: AbortSignal;
}

/** The same, with the dialect and the memory that the start of the stream left. */
export interface TurnStreamOptions extends TurnEventsOptions {
  readonly dialect: Dialect;
  readonly memory: unknown;
}

/** Events of a turn; `isEnded` where the last of them ends what its request sees of it. */
export interface TurnBatch {
  readonly events: readonly LoggedEvent[];
  readonly isEnded: boolean;
}

/**
 * The frames of one turn for the request that started or answered it: up to the end of the turn or the next
 * question. Its own prompt is not repeated to it. (RFC appendix A) The last event is marked, whoever
 * ended the turn. (DESIGN 3.8)
 */
export async function* turnStream(
  options: TurnStreamOptions,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { dialect, memory } = options;
  const encode = createStreamEncoder(dialect, memory);
  for await (const { events, isEnded } of turnEvents(options)) {
    const frames: StreamFrame[] = [];
    const last = isEnded ? events.at(-1) : undefined;
    for (const logged of events) {
      const isLast = logged === last;
      const isPrompt = logged.event.kind === "USER_PROMPT";
      // Even a prompt that is not repeated may count for the frames that follow.
      if (isPrompt && dialect.sharesFrames) continue;
      const encoded = encode(logged, isLast);
      if (!isPrompt) frames.push(...encoded);
      if (isLast && encoded.length === 0) {
        frames.push(...encode(await asStateChange(logged, options), true));
      }
    }
    if (frames.length > 0) yield frames;
  }
}

/** Folds the turn's events that the client has seen before; undefined if frames do not depend on them. */
export async function findSeen(
  {
    log,
    taskId,
    turn,
    afterPosition,
    reachedPosition = afterPosition,
  }: Omit<TurnEventsOptions, "signal">,
  { sharesFrames }: Pick<Dialect, "sharesFrames">,
): Promise<TaskView | undefined> {
  if (sharesFrames || reachedPosition === afterPosition) return undefined;
  let view = emptyTaskView(taskId, log.contextId);
  let position = afterPosition;
  while (position < reachedPosition) {
    const events = await log.read(position);
    for (const logged of events) {
      if (logged.turn === turn && logged.position <= reachedPosition)
        view = reduceTaskView(view, logged.event);
    }
    position = events.at(-1)?.position ?? reachedPosition;
  }
  return view;
}

/**
 * The events of one turn in whatever dialect, from a place on, up to its end or its next question. A turn
 * that will not come, since its prompt was withdrawn, ends when its task rests.
 */
export async function* turnEvents(
  options: TurnEventsOptions,
): AsyncGenerator<TurnBatch, void, undefined> {
  const {
    log,
    turn,
    taskId,
    afterPosition,
    reachedPosition = afterPosition,
    caller,
    signal,
  } = options;
  if (await isOver(options)) return;
  let isDropped = false;
  for await (const { events, live } of pullBatches(log, reachedPosition, signal, caller)) {
    const own: LoggedEvent[] = [];
    let isEnded = false;
    for (const logged of [...events, ...live]) {
      const { event } = logged;
      const isOfTask = event.taskId === taskId;
      // The task has gone on with a later turn, not only queued one: this one is over.
      if (isOfTask && logged.turn > turn && event.kind !== "QUEUE" && !isDropped) {
        if (own.length > 0) yield { events: own, isEnded: false };
        return;
      }
      const isRested = isRest(event);
      // A task does not end while a prompt of it waits: with its end, this turn is over.
      const isLast = isOfTask && isRested && (isDropped || isTerminalState(event.state));
      if (!isLast && !isOfTurn(logged, options)) continue;
      own.push(logged);
      if (event.kind === "QUEUE") isDropped = await isWithdrawn(logged, options);
      isEnded = isRested || (isDropped && isRestingState(event.state));
      if (isEnded) break;
    }
    if (own.length > 0) yield { events: own, isEnded };
    if (isEnded) return;
  }
}

// A client that was cut off right at the end asks for what comes after it: nothing does, unless its
// message waits behind what the task rests on.
async function isOver(options: TurnEventsOptions): Promise<boolean> {
  const { log, taskId, messageId, afterPosition, reachedPosition = afterPosition } = options;
  if (reachedPosition > afterPosition) {
    const [last] = await log.read(reachedPosition - 1);
    if (last !== undefined && isOfTurn(last, options) && isRest(last.event)) return true;
  }
  const { cursor, state, queue } = await log.view(taskId);
  if (cursor === undefined || !isRestingState(state)) return false;
  if (queue.some((prompt) => prompt.messageId === messageId)) return false;
  return log.cursors.decode(cursor).position <= reachedPosition;
}

// Events of turn 0 are the server's own word on a task whose agent could not be opened again.
function isOfTurn(logged: LoggedEvent, { turn, taskId }: TurnEventsOptions): boolean {
  return logged.turn === turn || (logged.turn === 0 && logged.event.taskId === taskId);
}

/** Whether a stream that was opened by sending ends with this event. */
export function isRest(event: SessionEvent): boolean {
  return event.kind === "STATE_CHANGE" && isRestingState(event.state);
}

// A prompt that leaves the queue begins with the next event, or never: then it was withdrawn.
async function isWithdrawn(
  { event, position }: LoggedEvent,
  { log, turn, messageId }: TurnEventsOptions,
): Promise<boolean> {
  if (event.kind !== "QUEUE") return false;
  if (event.prompts.some((prompt) => prompt.messageId === messageId)) return false;
  const [next] = await log.read(position);
  return next?.turn !== turn;
}

// Ends the stream of a prompt that was withdrawn, for clients that are not shown the queue.
async function asStateChange(
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
