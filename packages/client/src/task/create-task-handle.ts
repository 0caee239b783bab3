import { isTerminalState, type SessionEvent, type TaskView } from "@dt/schema";
import { hasCode } from "../errors/has-code.js";
import type { PushConfigs } from "../push/push-configs.js";
import { linkSignals } from "../transport/linked-signal.js";
import { sleep } from "../transport/reconnect.js";
import { untilAborted } from "../transport/until-aborted.js";
import type { AgentChannel, MessagePlace } from "./agent-channel.js";
import { type AnswerTo, findLostRace, toConfirmation } from "./answer.js";
import { createConversationTrail } from "./conversation-trail.js";
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

/** A handle on a task that is known so far as `start` tells; `earlier` are those before it. */
export function createTaskHandle(
  { channel, closing, pushOf }: TaskHandleOptions,
  start: TaskView,
  earlier: readonly string[] = [],
): TaskHandle {
  const { sharesCursors = false } = channel;
  const trail = createConversationTrail({ view: start, earlier, sharesCursors });
  const held = new Set(promptsIn(start));
  const unseen = createUnseenPrompts();
  let prompts = 0;
  let lastPrompt: Promise<unknown> = Promise.resolve();

  async function* events({ after, signal }: EventsOptions = {}) {
    const link = linkSignals(closing, signal);
    let at = after === undefined ? trail.place : trail.startOf(after);
    let from = at.cursor;
    let waits = 0;
    try {
      while (!link.signal.aborted) {
        const heard = prompts;
        try {
          for await (const update of channel.follow(trail.taskAt(at), from, signal)) {
            waits = 0;
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
        const next = trail.findNext(at);
        if (next !== undefined) at = next;
        from = at.cursor;
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
    prompts += 1;
    if (next.taskId !== trail.taskId) {
      trail.add(next);
    } else {
      trail.showState(next.state, before);
      if (channel.repeatsPrompts === true) unseen.expect(next, trail.view);
    }
    follower.start();
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

  const follower = createFollower((signal) => events({ signal }));

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
    push: pushOf(() => trail.taskId),
  };
  return handle;
}

function promptsIn({ items }: TaskView): readonly string[] {
  return items.flatMap(({ event }) => (event.kind === "USER_PROMPT" ? [event.messageId] : []));
}
