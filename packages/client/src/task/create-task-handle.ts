import { isTerminalState, ProtocolError, type TaskView } from "@dt/schema";
import { findUnknownName } from "../errors/find-unknown-name.js";
import { hasCode } from "../errors/has-code.js";
import type { PushConfigs } from "../push/push-configs.js";
import { untilAborted } from "../transport/abort-signals.js";
import { type AnswerTo, findLostRace, toConfirmation } from "./answer.js";
import { type AgentChannel, followsSessions, type MessagePlace } from "./channel/agent-channel.js";
import { createFollower } from "./follower.js";
import { leavingAtOnce } from "./leave-at-once.js";
import { toParts } from "./prompt-parts.js";
import { createSessionReader } from "./session/session-reader.js";
import type { TaskHandle } from "./task-handle.js";

/** What a handle works with. */
export interface TaskHandleOptions {
  readonly channel: AgentChannel;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** The push configurations of a task. */
  pushOf(taskId: () => string): PushConfigs;
}

/** A handle on a conversation that is known so far as `start` tells; `isJoined` if others began it. */
export function createTaskHandle(
  { channel, closing, pushOf }: TaskHandleOptions,
  start: TaskView,
  { isJoined = false } = {},
): TaskHandle {
  let lastPrompt: Promise<unknown> = Promise.resolve();
  const whenSent = () => lastPrompt;
  const reader = followsSessions(channel)
    ? createSessionReader({ channel, closing, whenSent, isJoined }, start)
    : channel.createReader({ closing, whenSent }, start);

  async function send(prompt: Parameters<TaskHandle["prompt"]>[0], signal?: AbortSignal) {
    const before = reader.view;
    const content = { type: "prompt" as const, parts: toParts(prompt) };
    const startsAnew = reader.isEnded && !channel.continuesEndedTasks;
    const place = startsAnew ? session() : { ...session(), taskId: reader.taskId };
    const next = await channel.send(content, place, signal).catch((reason: unknown) => {
      // It ended before anyone here knew: the session goes on as a new task.
      const isRefused = hasCode(reason, "unsupported-operation") && !channel.continuesEndedTasks;
      if (startsAnew || !isRefused) throw reason;
      return channel.send(content, session(), signal);
    });
    reader.sent(next, before);
    follower.start();
  }

  /** The session, where it is known: of a command that was just begun it is not. */
  function session(): MessagePlace {
    const { contextId } = reader.view;
    return contextId === "" ? {} : { contextId };
  }

  /** The task whose question is answered: the one that the view shows it in, else the last. */
  function askingTask(answers: readonly AnswerTo[]): string {
    const { view, taskId } = reader;
    const isOpen = view.openCalls.some(({ toolCallId }) =>
      answers.some(({ toolCall }) => toolCall.toolCallId === toolCallId),
    );
    return isOpen ? view.taskId : taskId;
  }

  const read = leavingAtOnce(reader.read);
  const events: TaskHandle["events"] = (options = {}) => {
    const name = findUnknownName(options, ["after", "signal"]);
    if (name === undefined) return read(options);
    throw new ProtocolError("invalid-message", `no option ${name}; there are after and signal`);
  };
  const follower = createFollower((signal) => reader.read({ signal, staysOn: true }));

  const handle: TaskHandle = {
    get taskId() {
      return reader.taskId;
    },
    get contextId() {
      return reader.view.contextId;
    },
    view: () => reader.view,
    events,
    async watch(listener, options) {
      listener(reader.view);
      for await (const _ of events(options)) listener(reader.view);
    },
    subscribe(listener, options = {}) {
      const forget = reader.onChange(listener);
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
      const { view, taskId } = reader;
      return channel.cancel(isTerminalState(view.state) ? taskId : view.taskId, signal);
    },
    presence: async ({ signal } = {}) => (await channel.get(reader.taskId, signal, 0)).presence,
    push: pushOf(() => reader.taskId),
  };
  return handle;
}
