import { failAt, isTerminalState, type TaskView } from "@dt/schema";
import type { ClientMessage } from "@dt/schema/wire";
import { findUnknownName } from "../errors/find-unknown-name.js";
import { hasCode } from "../errors/has-code.js";
import type { PushConfigs } from "../push/push-configs.js";
import { toAbortableEvents } from "./abortable-events.js";
import { type AnswerTo, findLostRace, toConfirmation } from "./answer.js";
import { type AgentChannel, followsSessions, type MessageTarget } from "./channel/agent-channel.js";
import { createFollower } from "./follower.js";
import { toParts } from "./prompt-parts.js";
import { createSendQueue } from "./send-queue.js";
import type { ConversationReader } from "./session/conversation-reader.js";
import { createSessionReader } from "./session/session-reader.js";
import type { TaskHandle } from "./task-handle.js";

/** Dependencies of a handle. */
export interface TaskHandleOptions {
  readonly channel: AgentChannel;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** Creates the methods for the push configurations of a task. */
  pushOf(taskId: () => string): PushConfigs;
}

/**
 * Creates a handle on a conversation that begins with the view `start`. `isJoined` is true if the
 * conversation existed before this handle, so that other clients may prompt it too.
 */
export function createTaskHandle(
  { channel, closing, pushOf }: TaskHandleOptions,
  start: TaskView,
  { isJoined = false } = {},
): TaskHandle {
  const { whenSent, run } = createSendQueue();
  const reader = followsSessions(channel)
    ? createSessionReader({ channel, closing, whenSent, isJoined }, start)
    : channel.createReader({ closing, whenSent }, start);
  const read = toAbortableEvents(reader.read);
  const events: TaskHandle["events"] = (options = {}) => {
    const name = findUnknownName(options, ["after", "signal"]);
    return name === undefined
      ? read(options)
      : failAt("", `unknown option ${name}; use after or signal`);
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
      const target = { ...sessionOf(reader), taskId: askingTask(reader, answers) };
      try {
        await channel.send({ type: "confirmation", confirmations }, target, signal);
        return { accepted: true };
      } catch (reason) {
        const lost = findLostRace(reason);
        if (lost === undefined) throw reason;
        return lost;
      }
    },
    async prompt(prompt, { signal, steer = false } = {}) {
      const content = { type: "prompt", parts: toParts(prompt), ...(steer && { steer }) } as const;
      await run(async () => {
        const before = reader.view;
        reader.sent(await sendPrompt(channel, reader, content, signal), before, steer);
        follower.start();
      }, signal);
    },
    cancel({ signal } = {}) {
      // If the view's task runs, this task is cancelled, even if a later task is queued.
      const { view, taskId } = reader;
      return channel.cancel(isTerminalState(view.state) ? taskId : view.taskId, signal);
    },
    presence: async ({ signal } = {}) => (await channel.get(reader.taskId, signal, 0)).presence,
    push: pushOf(() => reader.taskId),
  };
  return handle;
}

async function sendPrompt(
  channel: AgentChannel,
  reader: ConversationReader,
  content: ClientMessage,
  signal: AbortSignal | undefined,
): Promise<TaskView> {
  const startsTask = reader.isEnded && !channel.continuesEndedTasks;
  const target = startsTask ? sessionOf(reader) : { ...sessionOf(reader), taskId: reader.taskId };
  return await channel.send(content, target, signal).catch((reason: unknown) => {
    const isRefused = hasCode(reason, "unsupported-operation") && !channel.continuesEndedTasks;
    if (startsTask || !isRefused) throw reason;
    // The task had ended, but this client had not seen its end. The prompt therefore starts a new task of
    // the session.
    return channel.send(content, sessionOf(reader), signal);
  });
}

/** Returns the session of a conversation as a target; empty while the session of a command is unknown. */
function sessionOf({ view: { contextId } }: ConversationReader): MessageTarget {
  return contextId === "" ? {} : { contextId };
}

/** Finds the task of a question: the view's task if the view has the question, else the last task. */
function askingTask({ view, taskId }: ConversationReader, answers: readonly AnswerTo[]): string {
  const isOpen = view.openCalls.some(({ toolCallId }) =>
    answers.some(({ toolCall }) => toolCall.toolCallId === toolCallId),
  );
  return isOpen ? view.taskId : taskId;
}
