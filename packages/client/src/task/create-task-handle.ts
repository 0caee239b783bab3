import {
  isProtocolError,
  isTerminalState,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { createListeners } from "../events/listeners.js";
import type { PushConfigs } from "../push/push-configs.js";
import { linkSignals } from "../transport/linked-signal.js";
import { sleep } from "../transport/reconnect.js";
import { untilAborted } from "../transport/until-aborted.js";
import type { AgentChannel, MessagePlace, Update } from "./agent-channel.js";
import { findLostRace, toConfirmation } from "./answer.js";
import { eventsBetween } from "./events-between.js";
import { createFollower } from "./follower.js";
import { toParts } from "./prompt-parts.js";
import type { EventsOptions, TaskHandle } from "./task-handle.js";
import { createUnseenPrompts } from "./unseen-prompts.js";

/** What a handle works with. */
export interface TaskHandleOptions {
  readonly channel: AgentChannel;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** The push configurations of a task. */
  pushOf(taskId: () => string): PushConfigs;
}

/** How long to look for the turn of a prompt that was taken, look by look. */
const PROMPT_WAITS_MS = [10, 20, 50, 100, 200, 500, 1_000];

/** A handle on a task that is known so far as `start` tells. */
export function createTaskHandle(
  { channel, closing, pushOf }: TaskHandleOptions,
  start: TaskView,
): TaskHandle {
  const changes = createListeners<void>();
  let view = start;
  // Where to listen from: the task, and the place of the last prompt that made or continued it.
  let place = { taskId: start.taskId, cursor: start.cursor, prompts: 0 };
  let lastPrompt: Promise<unknown> = Promise.resolve();
  const unseen = createUnseenPrompts();

  function setView(next: TaskView): void {
    if (next === view) return;
    view = next;
    changes.tell();
  }

  /** Takes an update of one loop into the view, unless another loop was there first. */
  function take(
    update: Update,
    at: { taskId: string; cursor: string | undefined },
  ): SessionEvent[] {
    const isFirst = at.taskId === view.taskId && at.cursor === view.cursor;
    if (update.type === "event") {
      unseen.saw(update.event);
      if (isFirst) setView(reduceTaskView(view, update.event));
      return [update.event];
    }
    if (!isFirst) return [];
    const events = eventsBetween(view, update.view);
    setView(update.view);
    return [...events];
  }

  async function* events({ after, signal }: EventsOptions = {}) {
    const link = linkSignals(closing, signal);
    let at = { taskId: place.taskId, cursor: after ?? view.cursor };
    let waits = 0;
    try {
      while (!link.signal.aborted) {
        const heard = place.prompts;
        for await (const update of channel.follow(at.taskId, at.cursor, signal)) {
          waits = 0;
          const told = take(update, at);
          const { cursor } = update.type === "event" ? update.event : update.view;
          at = { ...at, cursor: cursor ?? at.cursor };
          yield* told;
        }
        if (place.prompts !== heard) {
          // A prompt that was sent while the task ended: there is more to hear.
          if (place.taskId !== at.taskId) at = { taskId: place.taskId, cursor: place.cursor };
          continue;
        }
        // One that waited for the turn that has just ended: its own is about to begin.
        const pauseMs = unseen.size === 0 ? undefined : PROMPT_WAITS_MS[waits];
        if (pauseMs === undefined) return;
        waits += 1;
        await sleep(pauseMs, link.signal);
      }
    } finally {
      link.release();
    }
  }

  /** Goes on with the task that a prompt went to. `before` is the view when it was sent. */
  function goOnWith(next: TaskView, before: TaskView): void {
    const isNewTask = next.taskId !== place.taskId;
    place = { taskId: next.taskId, cursor: next.cursor, prompts: place.prompts + 1 };
    if (isNewTask) setView(continued(view, next));
    // In the same task events tell the rest; where none came yet, the state is known already.
    else if (view === before) setView({ ...view, state: next.state });
    if (!isNewTask && channel.repeatsPrompts === true) unseen.expect(next, view);
    follower.start();
  }

  async function send(prompt: Parameters<TaskHandle["prompt"]>[0], signal?: AbortSignal) {
    const before = view;
    const { contextId } = view;
    const content = { type: "prompt" as const, parts: toParts(prompt) };
    const isOver = isTerminalState(view.state) && !channel.continuesEndedTasks;
    const here: MessagePlace = isOver ? { contextId } : { taskId: place.taskId, contextId };
    const next = await channel.send(content, here, signal).catch((reason: unknown) => {
      // It ended before anyone here knew: the session goes on as a new task.
      if (isOver || channel.continuesEndedTasks || !isEndedTask(reason)) throw reason;
      return channel.send(content, { contextId }, signal);
    });
    goOnWith(next, before);
  }

  const follower = createFollower((signal) => events({ signal }));

  const handle: TaskHandle = {
    get taskId() {
      return place.taskId;
    },
    get contextId() {
      return view.contextId;
    },
    view: () => view,
    events,
    async watch(listener, options) {
      listener(view);
      for await (const _ of events(options)) listener(view);
    },
    subscribe(listener, options = {}) {
      const forget = changes.add(listener);
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
      const { taskId } = place;
      const { contextId } = view;
      try {
        await channel.send({ type: "confirmation", confirmations }, { taskId, contextId }, signal);
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
    cancel: ({ signal } = {}) => channel.cancel(place.taskId, signal),
    push: pushOf(() => place.taskId),
  };
  return handle;
}

// The conversation goes on: what was said before stays, whichever task it belongs to.
function continued(view: TaskView, next: TaskView): TaskView {
  const prompts = next.items.map(({ event, at }) => ({
    ...event,
    taskId: next.taskId,
    contextId: next.contextId,
    state: next.state,
    at,
  }));
  const earlier = { ...view, taskId: next.taskId, openCalls: [], queue: next.queue };
  const { items, earlierItems, isTextOpen } = prompts.reduce(reduceTaskView, earlier as TaskView);
  return { ...next, items, earlierItems, isTextOpen };
}

function isEndedTask(reason: unknown): boolean {
  return isProtocolError(reason) && reason.code === "unsupported-operation";
}
