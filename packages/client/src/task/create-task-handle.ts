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
import { type AnswerTo, findLostRace, toConfirmation } from "./answer.js";
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

/** One task of a conversation, and where to listen to it from. */
interface Leg {
  readonly taskId: string;
  readonly cursor: string | undefined;
  /** The task as the prompt made it, until the view has come here. */
  start?: TaskView | undefined;
}

/** How far a loop has come. */
interface Place {
  readonly leg: number;
  readonly cursor: string | undefined;
}

/** A handle on a task that is known so far as `start` tells. */
export function createTaskHandle(
  { channel, closing, pushOf }: TaskHandleOptions,
  start: TaskView,
): TaskHandle {
  const changes = createListeners<void>();
  let view = start;
  // Every task that a prompt of this handle made; the view has come as far as `viewLeg`.
  const legs: Leg[] = [{ taskId: start.taskId, cursor: start.cursor }];
  let viewLeg = 0;
  let prompts = 0;
  let lastPrompt: Promise<unknown> = Promise.resolve();
  const unseen = createUnseenPrompts();

  const lastTaskId = () => legs.at(-1)?.taskId ?? start.taskId;

  function setView(next: TaskView): void {
    if (next === view) return;
    view = next;
    changes.tell();
  }

  /** Whether a loop is where the view is: then it is the one that takes it further. */
  function isFirst({ leg, cursor }: Place): boolean {
    return leg === viewLeg && cursor === view.cursor;
  }

  function take(update: Update, at: Place): readonly SessionEvent[] {
    if (update.type === "event") {
      unseen.saw(update.event);
      if (isFirst(at)) setView(reduceTaskView(view, update.event));
      return [update.event];
    }
    if (!isFirst(at)) return [];
    const events = eventsBetween(view, update.view);
    setView(update.view);
    return events;
  }

  /** Goes on from the end of one task to the next, if there is one. */
  function findNext(at: Place): Place | undefined {
    const leg = legs[at.leg + 1];
    if (leg === undefined) return undefined;
    if (isFirst(at)) enterNext();
    return { leg: at.leg + 1, cursor: leg.cursor };
  }

  function enterNext(): void {
    const leg = legs[viewLeg + 1];
    if (leg?.start === undefined) return;
    viewLeg += 1;
    setView(continued(view, leg.start));
    leg.start = undefined;
  }

  async function* events({ after, signal }: EventsOptions = {}) {
    const link = linkSignals(closing, signal);
    let at: Place = { leg: viewLeg, cursor: after ?? view.cursor };
    let waits = 0;
    try {
      while (!link.signal.aborted) {
        const heard = prompts;
        const { taskId } = legs[at.leg] ?? start;
        for await (const update of channel.follow(taskId, at.cursor, signal)) {
          waits = 0;
          const told = take(update, at);
          const { cursor } = update.type === "event" ? update.event : update.view;
          at = { ...at, cursor: cursor ?? at.cursor };
          yield* told;
        }
        const next = findNext(at);
        if (next !== undefined) at = next;
        // A prompt that was sent while the task ended: there is more to hear.
        if (next !== undefined || prompts !== heard) continue;
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
    prompts += 1;
    if (next.taskId !== lastTaskId()) {
      legs.push({ taskId: next.taskId, cursor: next.cursor, start: next });
      // Else the rest of the task before comes first, whoever reads it.
      if (isTerminalState(view.state) && viewLeg === legs.length - 2) enterNext();
    } else {
      // Events tell the rest; where none came yet, the state is known already.
      if (view === before && viewLeg === legs.length - 1) setView({ ...view, state: next.state });
      if (channel.repeatsPrompts === true) unseen.expect(next, view);
    }
    follower.start();
  }

  async function send(prompt: Parameters<TaskHandle["prompt"]>[0], signal?: AbortSignal) {
    const before = view;
    const { contextId } = view;
    const content = { type: "prompt" as const, parts: toParts(prompt) };
    const isLast = view.taskId === lastTaskId();
    const isOver = isLast && isTerminalState(view.state) && !channel.continuesEndedTasks;
    const here: MessagePlace = isOver ? { contextId } : { taskId: lastTaskId(), contextId };
    const next = await channel.send(content, here, signal).catch((reason: unknown) => {
      // It ended before anyone here knew: the session goes on as a new task.
      if (isOver || channel.continuesEndedTasks || !isEndedTask(reason)) throw reason;
      return channel.send(content, { contextId }, signal);
    });
    goOnWith(next, before);
  }

  /** The task whose question is answered: the one that the view shows it in, else the last. */
  function askingTask(answers: readonly AnswerTo[]): string {
    const isOpen = view.openCalls.some(({ toolCallId }) =>
      answers.some(({ toolCall }) => toolCall.toolCallId === toolCallId),
    );
    return isOpen ? view.taskId : lastTaskId();
  }

  const follower = createFollower((signal) => events({ signal }));

  const handle: TaskHandle = {
    get taskId() {
      return lastTaskId();
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
      const { contextId } = view;
      const taskId = askingTask(answers);
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
    cancel({ signal } = {}) {
      // What runs now, though another prompt may wait behind it already.
      const taskId = isTerminalState(view.state) ? lastTaskId() : view.taskId;
      return channel.cancel(taskId, signal);
    },
    push: pushOf(lastTaskId),
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
