import type { Origin, TaskView } from "@dt/schema";
import { encodeClientMessage, METHOD_NAMES } from "@dt/schema/wire";
import { TransportError } from "../../errors/transport-error.js";
import { linkSignals, untilAborted } from "../../transport/abort-signals.js";
import type { MessageFrame } from "../pull/task-intake.js";
import { createTaskPuller, type TaskPuller } from "../pull/task-puller.js";
import { createMessageId, type OwnPrompt } from "../session/own-prompt.js";
import { createTaskReader } from "../task-reader.js";
import type { TaskChannel } from "./agent-channel.js";
import { type Conversation, cancelTask } from "./requests.js";
import { openStreamSource } from "./stream-source.js";

/** Dependencies of a channel without cursors. */
export interface RfcChannelOptions extends Conversation {
  /** The origin that the view shows for the prompts of this client. */
  readonly origin: Origin;
}

/**
 * Configuration of a message to an agent that does not stream: the agent replies at once, and the client
 * then polls the task.
 */
const WITHOUT_WAITING = { "0.3": { blocking: false }, "1.0": { returnImmediately: true } } as const;

/** Maximum number of remembered tasks. If there are more, idle tasks are forgotten. */
const MAX_TASKS = 200;

/**
 * Creates a channel to an agent that only declares the RFC's extension and therefore has no
 * cursors.
 *
 * The stream of a message is read to its end, because some agents send the events of the message on no
 * other stream. After a break the task is requested, and the missed events are computed from the task.
 */
export function createRfcChannel(options: RfcChannelOptions): TaskChannel {
  const { transport, spelling, uris, attempts, origin } = options;
  const { streams = true } = options;
  const method = METHOD_NAMES[spelling.version][streams ? "stream" : "send"];
  const tasks = new Map<string, TaskPuller>();

  function taskOf(taskId: string): TaskPuller {
    const task = tasks.get(taskId) ?? createTaskPuller(taskId, options);
    // The task moves to the end, so that the map is ordered by last use.
    tasks.delete(taskId);
    tasks.set(taskId, task);
    for (const [id, { isIdle }] of tasks) {
      if (tasks.size <= MAX_TASKS) break;
      if (isIdle) tasks.delete(id);
    }
    return task;
  }

  /** Adds a message that the agent sent instead of a task. It becomes a task that has ended. */
  function addReply(frame: MessageFrame, prompt: OwnPrompt | undefined): TaskView {
    const task = taskOf(`message-${frame.message.messageId}`);
    task.addReply(frame, prompt);
    return task.feed.view;
  }

  const channel: TaskChannel = {
    createReader: (options, start) => createTaskReader(channel, options, start),
    // An agent of A2A 0.3 with the RFC's extension continues a task that has ended.
    continuesEndedTasks: spelling.continuesEndedTasks,
    repeatsPrompts: true,

    async send(content, target, outer) {
      // All attempts use one id, so that the agent can recognise a message whose reply was lost.
      const { messageId = createMessageId() } = target;
      const message = encodeClientMessage(content, { ...target, messageId }, uris);
      const params = {
        message: spelling.encodeMessage(message),
        ...(!streams && { configuration: WITHOUT_WAITING[spelling.version] }),
      };
      return await attempts.run(async (signal) => {
        const source = openStreamSource({ transport, attempts, method, params });
        try {
          const first = await untilAborted(source.next(), signal);
          if (first === undefined) {
            throw new TransportError("closed", "the stream ended without an answer");
          }
          const frame = spelling.decodeFrame(first.result, "result");
          const prompt =
            content.type === "prompt" ? { messageId, parts: content.parts, origin } : undefined;
          if (frame.type === "message" && frame.message.taskId === undefined) {
            source.close();
            return addReply(frame, prompt);
          }
          const task = taskOf(taskIdOf(frame));
          task.addStream(first, source, prompt);
          return task.feed.view;
        } catch (reason) {
          source.close();
          throw reason;
        }
      }, outer);
    },

    get: (taskId, signal) => taskOf(taskId).refresh(signal),
    cancel: (taskId, signal) => cancelTask(options, taskId, signal),

    async *follow(taskId, after, outer) {
      const link = linkSignals(attempts.closing, outer);
      const { signal } = link;
      const task = taskOf(taskId);
      let cursor = after;
      try {
        if (!task.feed.isKnown) await task.refresh(signal);
        while (!signal.aborted) {
          for (const update of task.feed.read(cursor)) {
            cursor = update.type === "event" ? update.event.cursor : update.view.cursor;
            yield update;
            if (signal.aborted) return;
          }
          // More events arrived while the consumer handled the last update.
          if (task.feed.view.cursor !== cursor) continue;
          if (task.isOver) return;
          await untilAborted(task.pull(), signal);
        }
      } catch (reason) {
        if (!signal.aborted) throw reason;
      } finally {
        link.release();
      }
    },
  };
  return channel;
}

function taskIdOf(frame: ReturnType<Conversation["spelling"]["decodeFrame"]>): string {
  if (frame.type === "task") return frame.task.id;
  if (frame.type !== "message") return frame.taskId;
  throw new TransportError("unreadable", "the agent sent a message instead of a task");
}
