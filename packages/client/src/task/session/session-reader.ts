import { isUnfinished, openQuestions, type TaskView } from "@dt/schema";
import { hasCode } from "../../errors/has-code.js";
import { linkSignals, untilAborted } from "../../transport/abort-signals.js";
import type { SessionChannel } from "../channel/agent-channel.js";
import type { ConversationReader, ReaderOptions, ReadOptions } from "./conversation-reader.js";
import { createKnownSession } from "./known-session.js";
import { isIdleView } from "./session-view.js";

/** Dependencies of a reader of a session. */
export interface SessionReaderOptions extends ReaderOptions {
  readonly channel: SessionChannel;
  /** True if the conversation existed before this handle, so that other clients may prompt it too. */
  readonly isJoined: boolean;
}

/** Reads a session as one stream of events of all its tasks. */
export function createSessionReader(
  { channel, closing, whenSent, isJoined }: SessionReaderOptions,
  start: TaskView,
): ConversationReader {
  const isJoinedIdle = isJoined && isIdleView(start);
  const known = createKnownSession(start);
  let prompts = 0;

  /**
   * Requests a snapshot. Returns the snapshot's cursor and the events that the view has missed. Returns no
   * events if another loop has advanced the view beyond `at`.
   */
  async function startOver(at: string | undefined, signal: AbortSignal) {
    // The module is loaded on demand, because agents rarely lose a cursor.
    const [snapshot, { eventsBetween }] = await Promise.all([
      channel.get(known.view.taskId, signal),
      import("./events-between.js"),
    ]);
    const isAhead = at === known.view.cursor;
    const events = isAhead ? eventsBetween(known.view, snapshot, openQuestions) : [];
    if (isAhead) known.replace(snapshot);
    return [events, snapshot.cursor] as const;
  }

  /**
   * Returns true if an idle session has finished all tasks that a loop waits for. An idle task of a
   * live session counts as finished, although the task has not ended.
   */
  async function hasEnded(signal: AbortSignal, waitsForOthers: boolean): Promise<boolean> {
    known.settle();
    const tasks = await Promise.all(known.own.map((id) => channel.get(id, signal, 0)));
    for (const task of tasks) known.setState(task);
    return known.isDone || !(waitsForOthers || known.isPending || tasks.some(isUnfinished));
  }

  async function* read({ after, signal: outer, staysOn = false }: ReadOptions = {}) {
    const link = linkSignals(closing, outer);
    const { signal } = link;
    let at = after ?? known.view.cursor;
    let from = at;
    let untilIdle = !staysOn;
    let idleAt: string | undefined;
    // True if the handle joined an idle session and has not prompted it. The loop then waits for turns of
    // other clients.
    const waitsForOthers = isJoinedIdle && prompts === 0;
    const endsWhenIdle = !staysOn && !waitsForOthers;
    try {
      while (!signal.aborted) {
        const promptsBefore = prompts;
        if (from === undefined) {
          const [events, cursor] = await startOver(at, signal);
          yield* events;
          at = from = cursor;
          if (from === undefined) return;
        }
        const isOver = () => !staysOn && at === known.view.cursor && known.isDone;
        const isWaiting = endsWhenIdle && !untilIdle;
        try {
          for await (const event of isOver()
            ? []
            : channel.followSession(known.view.contextId, from, { signal, untilIdle })) {
            const isAhead = at === known.view.cursor;
            at = from = event.cursor ?? at;
            if (isAhead) known.apply(event);
            if (after !== undefined || !known.isInFirstView(event)) yield event;
            if (isOver() || isWaiting) break;
          }
        } catch (reason) {
          // If the agent has lost the cursor, the loop continues from a snapshot. All other errors are
          // thrown, including the error for a cursor that the caller passed.
          if (at === after || !hasCode(reason, "cursor-not-found")) throw reason;
          from = undefined;
          continue;
        }
        // The stream without `untilIdle` only waited for the first new event. The next stream reads the
        // events after it.
        untilIdle ||= isWaiting;
        if (isWaiting || signal.aborted || prompts !== promptsBefore) continue;
        // If a prompt is being sent, the loop waits. It continues if the agent accepts the prompt.
        await untilAborted(whenSent(), signal).catch(() => {});
        if (prompts !== promptsBefore) continue;
        if (known.isDone || (await hasEnded(signal, waitsForOthers))) return;
        // Without new events, another stream with `untilIdle` would end at once, so the next stream
        // has no `untilIdle`.
        untilIdle = endsWhenIdle && at !== idleAt;
        idleAt = at;
      }
    } finally {
      link.release();
    }
  }

  return {
    get view() {
      return known.view;
    },
    get taskId() {
      return known.taskId;
    },
    get isEnded() {
      return known.isEnded;
    },
    onChange: known.onChange,
    read,
    sent(next, before, isSteering) {
      prompts += 1;
      known.sent(next, before, isSteering);
    },
  };
}
