import { isTerminalState, type SessionEvent, type TaskView } from "@dt/schema";
import { hasCode } from "../errors/has-code.js";
import type { PushConfigs } from "../push/push-configs.js";
import { linkSignals } from "../transport/linked-signal.js";
import { sleep } from "../transport/reconnect.js";
import { untilAborted } from "../transport/until-aborted.js";
import type { AgentChannel, MessagePlace } from "./agent-channel.js";
import { type AnswerTo, findLostRace, toConfirmation } from "./answer.js";
import { createConversationTrail, type Place } from "./conversation-trail.js";
import { createFollower } from "./follower.js";
import { toParts } from "./prompt-parts.js";
import type { EventsOptions, TaskHandle } from "./task-handle.js";
import { createUnseenPrompts } from "./unseen-prompts.js";

/** What a handle works with. */
export interface TaskHandleOptions {
  readonly channel: AgentChannel;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** The last tasks of a session, in order, from a known one on; none where there is no list. */
  tasksOf(
    contextId: string,
    isKnown: (task: TaskView) => boolean,
    signal: AbortSignal,
  ): Promise<readonly TaskView[]>;
  /** The push configurations of a task. */
  pushOf(taskId: () => string): PushConfigs;
}

/** How long to look for the turn of a prompt that was taken, look by look. */
const PROMPT_WAITS_MS = [10, 20, 50, 100, 200, 500, 1_000];

/** How long to wait before looking again for a task that someone else began, at first and at most. */
const LOOK_MS = 500;
const MAX_LOOK_MS = 10_000;

interface ReadOptions extends EventsOptions {
  /** Whether to wait at the end of the task for the next one of the session, whoever begins it. */
  readonly staysOn?: boolean;
}

/** The tasks around the one that a handle begins with, in order. */
export interface Surroundings {
  readonly earlier: readonly string[];
  readonly later: readonly TaskView[];
}

/** A handle on a task that is known so far as `start` tells. */
export function createTaskHandle(
  { channel, closing, tasksOf, pushOf }: TaskHandleOptions,
  start: TaskView,
  around: Surroundings = { earlier: [], later: [] },
): TaskHandle {
  const { sharesCursors = false } = channel;
  const trail = createConversationTrail({ view: start, ...around, sharesCursors });
  const held = new Set(promptsIn(start));
  const unseen = createUnseenPrompts();
  let prompts = 0;
  let lastPrompt: Promise<unknown> = Promise.resolve();
  let wake = () => {};
  let lookedUpTo: string | undefined;

  /** Looks for what others began, now and then; false where nobody will know. */
  async function untilMore(at: Place, signal: AbortSignal): Promise<boolean> {
    const { contextId } = trail.view;
    if (channel.sharesCursors !== true || contextId === "") return false;
    const heard = prompts;
    for (let look = 0; !signal.aborted; look += 1) {
      const tasks = await tasksOf(contextId, trail.isKnown, signal).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
        return [];
      });
      trail.addLater(tasks);
      const last = tasks.find(({ taskId }) => taskId === trail.taskAt(at));
      // A task of A2A 0.3 may go on after its end; each place is believed once.
      const goesOn = last?.cursor !== at.cursor && last?.cursor !== lookedUpTo;
      lookedUpTo = last?.cursor;
      if (goesOn || trail.hasNext(at) || prompts !== heard) return true;
      if (tasks.length === 0) return false;
      const nap = linkSignals(signal);
      wake = () => nap.abort(undefined);
      await sleep(Math.min(MAX_LOOK_MS, LOOK_MS * 2 ** look), nap.signal, true);
      nap.release();
      if (prompts !== heard) return true;
    }
    return false;
  }

  async function* read({ after, signal, staysOn = false }: ReadOptions = {}) {
    const link = linkSignals(closing, signal);
    let isUnplaced = after !== undefined;
    let waits = 0;
    const updates = (place: Place, cursor: string | undefined) =>
      channel.follow(trail.taskAt(place), cursor, signal, isUnplaced);
    const hasMore = async (place: Place) => {
      for await (const _ of updates(place, after)) return true;
      return false;
    };
    try {
      let at = after === undefined ? trail.place : await trail.startOf(after, hasMore);
      let from = at.cursor;
      // The cursor that it is entered with is of another task, and may lie beyond its end.
      const enter = (next: Place | undefined) => {
        if (next !== undefined) isUnplaced = true;
        at = next ?? at;
        from = at.cursor;
        return next;
      };
      while (!link.signal.aborted) {
        const heard = prompts;
        try {
          for await (const update of updates(at, from)) {
            waits = 0;
            isUnplaced = false;
            if (update.type === "event") unseen.saw(update.event);
            const told = trail.take(update, at);
            const { cursor } = update.type === "event" ? update.event : update.view;
            at = { ...at, cursor: cursor ?? at.cursor };
            // One that waited for its turn: the view had it from the beginning.
            yield* after === undefined ? told.filter((event) => !isHeld(event)) : told;
          }
        } catch (reason) {
          // The agent no longer knows how far this handle had come: a snapshot is where to go on from.
          if (from === undefined || from === after || !hasCode(reason, "cursor-not-found")) {
            throw reason;
          }
          from = undefined;
          continue;
        }
        const next = enter(trail.findNext(at));
        // A prompt that was sent while the task ended: there is more to hear.
        if (next !== undefined || prompts !== heard) continue;
        // One that is on its way: whether the agent takes it decides what there is to hear.
        await untilAborted(lastPrompt, link.signal).catch(() => {});
        if (prompts !== heard) continue;
        // One that waited for the turn that has just ended: its own is about to begin.
        const pauseMs = unseen.size === 0 ? undefined : PROMPT_WAITS_MS[waits];
        if (pauseMs === undefined) {
          if (!staysOn || !(await untilMore(at, link.signal))) return;
          enter(trail.findNext(at));
          continue;
        }
        waits += 1;
        await sleep(pauseMs, link.signal);
      }
    } finally {
      link.release();
    }
  }

  function isHeld(event: SessionEvent): boolean {
    return event.kind === "USER_PROMPT" && held.has(event.messageId);
  }

  async function send(prompt: Parameters<TaskHandle["prompt"]>[0], signal?: AbortSignal) {
    const before = trail.view;
    const content = { type: "prompt" as const, parts: toParts(prompt) };
    const isEnded = isTerminalState(before.state) && before.taskId === trail.taskId;
    const startsAnew = isEnded && !channel.continuesEndedTasks;
    const place = startsAnew ? session() : { ...session(), taskId: trail.taskId };
    const next = await channel.send(content, place, signal).catch((reason: unknown) => {
      // It ended before anyone here knew: the session goes on as a new task.
      const isRefused = hasCode(reason, "unsupported-operation") && !channel.continuesEndedTasks;
      if (startsAnew || !isRefused) throw reason;
      return channel.send(content, session(), signal);
    });
    await lookBack(next);
    prompts += 1;
    wake();
    if (next.taskId !== trail.taskId) {
      trail.add(next);
    } else {
      trail.showState(next.state, before);
      if (channel.repeatsPrompts === true) unseen.expect(next, trail.view);
    }
    follower.start();
  }

  /** Adds what others began before the task that a prompt made: it comes first. */
  async function lookBack({ taskId }: TaskView): Promise<void> {
    const { contextId } = trail.view;
    if (taskId === trail.taskId || !sharesCursors || contextId === "") return;
    const tasks = await tasksOf(contextId, trail.isKnown, closing).catch(() => []);
    const end = tasks.findIndex((task) => task.taskId === taskId);
    trail.addLater(end < 0 ? [] : tasks.slice(0, end));
  }

  /** The session, where it is known: of a command that was just begun it is not. */
  function session(): MessagePlace {
    const { contextId } = trail.view;
    return contextId === "" ? {} : { contextId };
  }

  /** The task whose question is answered: the one that the view shows it in, else the last. */
  function askingTask(answers: readonly AnswerTo[]): string {
    const { view, taskId } = trail;
    const isOpen = view.openCalls.some(({ toolCallId }) =>
      answers.some(({ toolCall }) => toolCall.toolCallId === toolCallId),
    );
    return isOpen ? view.taskId : taskId;
  }

  const events = (options: EventsOptions = {}) => read(options);
  const follower = createFollower((signal) => read({ signal, staysOn: true }));

  const handle: TaskHandle = {
    get taskId() {
      return trail.taskId;
    },
    get contextId() {
      return trail.view.contextId;
    },
    view: () => trail.view,
    events,
    async watch(listener, options) {
      listener(trail.view);
      for await (const _ of events(options)) listener(trail.view);
    },
    subscribe(listener, options = {}) {
      const forget = trail.onChange(listener);
      const leave = follower.join(options);
      return () => {
        forget();
        leave();
      };
    },
    async answer(toolCall, answer, options) {
      const result = await handle.answerAll([{ toolCall, answer }], options);
      if (result.accepted) return result;
      const { toolCallId: _, ...lost } = result;
      return lost;
    },
    async answerAll(answers, { signal } = {}) {
      const confirmations = answers.map(toConfirmation);
      const place = { ...session(), taskId: askingTask(answers) };
      try {
        await channel.send({ type: "confirmation", confirmations }, place, signal);
        return { accepted: true };
      } catch (reason) {
        const lost = findLostRace(reason);
        if (lost === undefined) throw reason;
        return lost;
      }
    },
    async prompt(prompt, { signal } = {}) {
      toParts(prompt);
      // One after the other: the second goes to the task that the first one made.
      const turn = lastPrompt.then(() => {
        signal?.throwIfAborted();
        return send(prompt, signal);
      });
      lastPrompt = turn.catch(() => {});
      await untilAborted(turn, signal);
    },
    cancel({ signal } = {}) {
      // What runs now, though another prompt may wait behind it already.
      const { view, taskId } = trail;
      return channel.cancel(isTerminalState(view.state) ? taskId : view.taskId, signal);
    },
    presence: async ({ signal } = {}) => (await channel.get(trail.taskId, signal, 0)).presence,
    push: pushOf(() => trail.taskId),
  };
  return handle;
}

function promptsIn({ items }: TaskView): readonly string[] {
  return items.flatMap(({ event }) => (event.kind === "USER_PROMPT" ? [event.messageId] : []));
}
