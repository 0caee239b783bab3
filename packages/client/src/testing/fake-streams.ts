import {
  emptyTaskView,
  isTerminalState,
  isWaitingState,
  openQuestions,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { isVisible, SESSION_IDLE } from "@dt/schema/wire";
import { eventFrame, type FakeDialect, type FakeFrame, taskFrame } from "./fake-frames.js";
import type { FakeSession } from "./fake-session.js";

type Frames = AsyncGenerator<FakeFrame, void, undefined>;

/** A message that a fake session accepted. */
export interface FakeDelivery {
  readonly session: FakeSession;
  readonly taskId: string;
  readonly messageId: string;
  /** Position in the log just before the first event of the message. */
  readonly after: number;
  /** True if the message created the task. */
  readonly isNewTask: boolean;
}

/**
 * Yields the frames for the sender of a message, up to the end of its turn or the next question. If
 * the message is queued, only its task and the queue are sent before its turn.
 */
export async function* turnFrames(
  { session, taskId, messageId, after, isNewTask }: FakeDelivery,
  dialect: FakeDialect,
  signal: AbortSignal,
): Frames {
  let isFirst = true;
  let isWaiting = false;
  for await (const event of session.log.follow(after, signal)) {
    if (event.taskId !== taskId) continue;
    const isQueued = isFirst && event.kind === "QUEUE";
    const introduces =
      dialect.spelling.version === "1.0" || (isQueued && !dialect.activation.session);
    if (isFirst && isNewTask) yield taskFrame(viewAt(event), dialect);
    else if (isFirst && introduces) yield bareFrame(viewAt(event), dialect);
    isFirst = false;
    isWaiting ||= isQueued;
    const isOwn = event.kind === "USER_PROMPT" && event.messageId === messageId;
    if (isOwn) isWaiting = false;
    const isEnd =
      event.kind === "STATE_CHANGE" &&
      (isWaiting ? isTerminalState(event.state) : isWaitingState(event.state));
    const isSent = !isWaiting || isEnd || event.kind === "QUEUE";
    if (isSent && event.kind !== "USER_PROMPT" && isVisible(event, dialect.activation)) {
      yield eventFrame(event, dialect, isEnd);
    }
    if (isEnd) return;
  }
}

/** Yields the frames of a subscription, up to the end of the task. */
export async function* taskFrames(
  session: FakeSession,
  view: TaskView,
  dialect: FakeDialect,
  { after, signal }: { readonly after: string | undefined; readonly signal: AbortSignal },
): Frames {
  const { log } = session;
  const lastPosition = () => log.positionOf(log.findView(view.taskId)?.cursor ?? "");
  let position = after === undefined ? lastPosition() : log.positionOf(after);
  if (after === undefined) yield taskFrame(view, dialect);
  else if (dialect.spelling.version === "1.0") yield bareFrame(view, dialect);
  if (isTerminalState(view.state) && position >= lastPosition()) return;
  for await (const event of log.follow(position, signal)) {
    position += 1;
    if (event.taskId !== view.taskId) continue;
    const isEnd = isTerminalState(event.state) && position >= lastPosition();
    if (isVisible(event, dialect.activation)) yield eventFrame(event, dialect, isEnd);
    if (isEnd) return;
  }
}

/** Yields the frames for a follower of the session: the events of all its tasks. */
export async function* sessionFrames(
  { log }: FakeSession,
  dialect: FakeDialect,
  options: { readonly after: number; readonly untilIdle: boolean; readonly signal: AbortSignal },
): Frames {
  const { after, untilIdle, signal } = options;
  let position = after;
  const isOver = () => untilIdle && position >= log.size && log.views().every(isIdleTask);
  if (!isOver()) {
    for await (const event of log.follow(after, signal)) {
      position += 1;
      if (isVisible(event, dialect.activation)) yield eventFrame(event, dialect, false);
      if (isOver()) break;
    }
  }
  if (isOver()) yield { result: { ...SESSION_IDLE } };
}

function isIdleTask(view: TaskView): boolean {
  return isWaitingState(view.state) && openQuestions(view).length === 0;
}

/** Creates the view of a task from its first event. */
function viewAt(event: SessionEvent): TaskView {
  const { taskId, contextId, state, at } = event;
  const empty = emptyTaskView(taskId, contextId);
  const isOfPrompt = event.kind === "USER_PROMPT" || event.kind === "QUEUE";
  return isOfPrompt ? reduceTaskView(empty, event) : { ...empty, state, at };
}

// Encodes the task that A2A 1.0 requires as the first frame. The task's history and cursor are omitted,
// because the events that follow contain both.
function bareFrame({ cursor: _, ...bare }: TaskView, dialect: FakeDialect): FakeFrame {
  return taskFrame(bare, dialect, 0);
}
