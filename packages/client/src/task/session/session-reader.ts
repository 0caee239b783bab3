import {
  isTerminalState,
  isUnfinished,
  reduceSessionView,
  type SessionEvent,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import { hasCode } from "../../errors/has-code.js";
import { createListeners } from "../../events/listeners.js";
import { linkSignals, untilAborted } from "../../transport/abort-signals.js";
import type { SessionChannel } from "../channel/agent-channel.js";
import {
  type ConversationReader,
  promptsIn,
  type ReaderOptions,
  type ReadOptions,
} from "./conversation-reader.js";
import { eventsBetween } from "./events-between.js";
import { continueView, isAtRest } from "./session-view.js";
import { createUnseenPrompts } from "./unseen-prompts.js";

/** What a session is read with. */
export interface SessionReaderOptions extends ReaderOptions {
  readonly channel: SessionChannel;
  /** Whether the task was there before: this handle did not begin it. */
  readonly isJoined: boolean;
}

/** Reads a session as one stream of events, whichever task they belong to. */
export function createSessionReader(
  { channel, closing, whenSent, isJoined }: SessionReaderOptions,
  start: TaskView,
): ConversationReader {
  const joinedAtRest = isJoined && isAtRest(start);
  const changes = createListeners<void>();
  const held = new Set(promptsIn(start));
  const unseen = createUnseenPrompts();
  /** How the tasks stand that were heard of. */
  const states = new Map<string, TaskState>([[start.taskId, start.state]]);
  /** Those that a loop waits for: the one it began with, and those that this handle prompted. */
  const own = new Set([start.taskId]);
  let view = start;
  let { taskId } = start;
  let prompts = 0;

  function setView(next: TaskView): void {
    view = next;
    changes.tell();
  }

  function note(task: { readonly taskId: string; readonly state: TaskState }): void {
    if (!states.has(task.taskId)) taskId = task.taskId;
    states.set(task.taskId, task.state);
    if (isTerminalState(task.state)) own.delete(task.taskId);
  }

  function take(event: SessionEvent): void {
    if (event.kind === "STATE_CHANGE") note(event);
    // A task of A2A 0.3 that had ended goes on, and its first events may still say that it had.
    else if (event.kind === "USER_PROMPT" || !states.has(event.taskId)) {
      note({ taskId: event.taskId, state: "submitted" });
    }
    if (unseen.saw(event)) own.add(event.taskId);
    setView(reduceSessionView(view, event));
  }

  /** Whether there is nothing that a loop waits for. */
  function isDone(): boolean {
    const isEnded = (id: string) => isTerminalState(states.get(id) ?? "submitted");
    return unseen.size === 0 && [...own].every(isEnded);
  }

  function isHeld(event: SessionEvent): boolean {
    return event.kind === "USER_PROMPT" && held.has(event.messageId);
  }

  /** Where no cursor leads on from: the task as it is now, and what that tells. */
  async function startOver(at: string | undefined, signal: AbortSignal) {
    const snapshot = await channel.get(view.taskId, signal);
    const isFirst = at === view.cursor;
    const events = isFirst ? eventsBetween(view, snapshot) : [];
    if (isFirst) {
      note(snapshot);
      setView(snapshot);
    }
    return { events, cursor: snapshot.cursor };
  }

  /** Whether a session that rests has done all that a loop waits for; a live one's task rests without an end. */
  async function hasEnded(signal: AbortSignal, observes: boolean): Promise<boolean> {
    unseen.settle();
    const tasks = await Promise.all([...own].map((id) => channel.get(id, signal, 0)));
    for (const task of tasks) note(task);
    const isAwaited = unseen.size > 0 || view.queue.some(({ messageId }) => held.has(messageId));
    return isDone() || !(observes || isAwaited || tasks.some(isUnfinished));
  }

  async function* read({ after, signal: outer, staysOn = false }: ReadOptions = {}) {
    const link = linkSignals(closing, outer);
    const { signal } = link;
    let at = after ?? view.cursor;
    let from = at;
    let untilRest = !staysOn;
    let restedAt: string | undefined;
    // Nothing was under way and nothing was asked for: what others begin is what it is here for.
    const observes = joinedAtRest && prompts === 0;
    try {
      while (!signal.aborted) {
        const heard = prompts;
        if (from === undefined) {
          const { events, cursor } = await startOver(at, signal);
          yield* events;
          at = from = cursor;
          if (from === undefined) return;
        }
        const isOver = () => !staysOn && at === view.cursor && isDone();
        try {
          const options = { signal, untilRest };
          for await (const event of isOver()
            ? []
            : channel.followSession(view.contextId, from, options)) {
            const isFirst = at === view.cursor;
            at = from = event.cursor ?? at;
            if (isFirst) take(event);
            if (after !== undefined || !isHeld(event)) yield event;
            if (isOver() || (!untilRest && !staysOn && !observes)) break;
          }
        } catch (reason) {
          // The agent no longer knows how far this handle had come: a snapshot is where to go on from.
          if (at === after || !hasCode(reason, "cursor-not-found")) throw reason;
          from = undefined;
          continue;
        }
        if (signal.aborted || prompts !== heard) continue;
        // One that is on its way: whether the agent takes it decides what there is to hear.
        await untilAborted(whenSent(), signal).catch(() => {});
        if (prompts !== heard) continue;
        if (isDone() || (await hasEnded(signal, observes))) return;
        // A session that rests says so again at once: unless something has come, the next event is awaited.
        untilRest = !staysOn && !observes && at !== restedAt;
        restedAt = at;
      }
    } finally {
      link.release();
    }
  }

  return {
    get view() {
      return view;
    },
    get taskId() {
      return taskId;
    },
    get isEnded() {
      return isTerminalState(states.get(taskId) ?? "submitted");
    },
    onChange: changes.add,
    read,
    sent(next, before) {
      prompts += 1;
      own.add(next.taskId);
      if (!states.has(next.taskId)) {
        note(next);
        // Shown at once; told when its turn begins.
        if (!isUnfinished(view)) {
          const { cursor } = view;
          setView({ ...continueView(view, next), ...(cursor !== undefined && { cursor }) });
        }
      } else if (view === before && view.taskId === next.taskId) {
        setView({ ...view, state: next.state });
      }
      unseen.expect(next, view);
    },
  };
}
