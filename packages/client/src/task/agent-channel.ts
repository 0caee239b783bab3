import {
  type ExtensionUris,
  emptyTaskView,
  type JsonObject,
  type Origin,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import {
  type A2aFrame,
  type A2aSpelling,
  type ClientMessage,
  decodeEvent,
  decodeTask,
  encodeClientMessage,
  methodNames,
} from "@dt/schema/wire";
import { mayHeal, TransportError } from "../errors/transport-error.js";
import type { Transport } from "../transport/http-transport.js";
import { type ReconnectSchedule, reconnectDelay, sleep } from "../transport/reconnect.js";
import type { ConnectionMonitor } from "./connection-monitor.js";

/** Something that a subscription brings: a snapshot to start over from, or one event. */
export type Update =
  | { readonly type: "snapshot"; readonly view: TaskView }
  | { readonly type: "event"; readonly event: SessionEvent };

/** The conversation with one agent, whatever its version of A2A; breaks are mended here. */
export interface AgentChannel {
  /** Sends a message and resolves with the task, once the agent has taken the message. */
  send(
    content: ClientMessage,
    place: { readonly taskId?: string; readonly contextId?: string },
    signal?: AbortSignal,
  ): Promise<TaskView>;
  /** Follows a task from a cursor, through every break, until it ends. */
  follow(taskId: string, after: string | undefined, signal?: AbortSignal): AsyncIterable<Update>;
  cancel(taskId: string, signal?: AbortSignal): Promise<void>;
  /** Whether a message may go on with a task that has ended; else its session goes on as a new one. */
  readonly continuesEndedTasks: boolean;
}

/** What a channel is made of. */
export interface AgentChannelOptions {
  readonly transport: Transport;
  readonly spelling: A2aSpelling;
  readonly uris: ExtensionUris;
  readonly schedule: ReconnectSchedule;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
  /** How this client names itself in its own view. */
  readonly origin: Origin;
}

/** Creates a channel over a transport. */
export function createAgentChannel(options: AgentChannelOptions): AgentChannel {
  const { transport, spelling, uris, schedule, closing, monitor } = options;
  const methods = methodNames[spelling.version];
  const anyOf = (signal: AbortSignal | undefined) =>
    signal === undefined ? closing : AbortSignal.any([closing, signal]);

  async function firstFrame(params: JsonObject, signal: AbortSignal) {
    for await (const { result, cursor } of transport.stream(methods.stream, params, { signal })) {
      return { frame: spelling.decodeFrame(result, "result"), cursor };
    }
    throw new TransportError("closed", "the stream ended before the agent answered");
  }

  /** Waits before the next try, and tells whoever shows the connection. */
  async function pause(attempt: number, reason: unknown, signal: AbortSignal): Promise<void> {
    const retryInMs = reconnectDelay(attempt, Math.random(), schedule);
    monitor.report({ status: "reconnecting", attempt: attempt + 1, retryInMs, reason });
    await sleep(retryInMs, signal);
  }

  /** Tries until it works, the caller gives up, or the error is one that cannot heal. */
  async function retrying<TResult>(
    attemptOnce: () => Promise<TResult>,
    signal: AbortSignal,
  ): Promise<TResult> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await attemptOnce();
        monitor.report({ status: "connected" });
        return result;
      } catch (reason) {
        if (signal.aborted || !mayHeal(reason)) throw reason;
        await pause(attempt, reason, signal);
      }
    }
  }

  return {
    continuesEndedTasks: spelling.version === "0.3",

    async send(content, place, signal) {
      // One id for all tries: should the answer get lost, the agent knows the message already.
      const messageId = globalThis.crypto.randomUUID();
      const message = encodeClientMessage(content, { messageId, ...place }, uris);
      const params = { message: spelling.encodeMessage(message) };
      const aborted = anyOf(signal);
      const { frame, cursor } = await retrying(() => firstFrame(params, aborted), aborted);
      const view = viewOf(frame, cursor, uris);
      if (content.type !== "prompt") return view;
      return withPrompt(view, { messageId, parts: content.parts, origin: options.origin });
    },

    async *follow(taskId, after, signal) {
      const aborted = anyOf(signal);
      let cursor = after;
      let attempt = 0;
      while (!aborted.aborted) {
        try {
          const stream = transport.stream(
            methods.subscribe,
            { id: taskId },
            { after: cursor, signal: aborted },
          );
          for await (const { result, cursor: seen } of stream) {
            if (attempt > 0) monitor.report({ status: "connected" });
            attempt = 0;
            const frame = spelling.decodeFrame(result, "result");
            if (frame.type === "status-update") {
              const event = decodeEvent(frame, uris);
              cursor = event.cursor ?? cursor;
              yield { type: "event", event };
            } else if (frame.type === "task" && cursor === undefined) {
              const view = decodeTask(frame.task, uris);
              cursor = view.cursor ?? seen;
              yield { type: "snapshot", view };
            }
          }
          // The agent hangs up only when the task has ended.
          return;
        } catch (reason) {
          if (aborted.aborted) return;
          if (!mayHeal(reason)) throw reason;
          await pause(attempt, reason, aborted);
          attempt += 1;
        }
      }
    },

    async cancel(taskId, signal) {
      const aborted = anyOf(signal);
      await retrying(() => transport.call(methods.cancel, { id: taskId }, aborted), aborted);
    },
  };
}

function viewOf(frame: A2aFrame, cursor: string | undefined, uris: ExtensionUris): TaskView {
  if (frame.type === "task") {
    const view = decodeTask(frame.task, uris);
    return cursor === undefined ? view : { ...view, cursor };
  }
  if (frame.type === "status-update") {
    return reduceTaskView(emptyTaskView(frame.taskId, frame.contextId), decodeEvent(frame, uris));
  }
  throw new TransportError("unreadable", `the agent answered with ${frame.type}, not with a task`);
}

// The agent does not repeat a prompt to whoever sent it.
function withPrompt(
  view: TaskView,
  prompt: Pick<SessionEvent & { kind: "USER_PROMPT" }, "messageId" | "parts" | "origin">,
): TaskView {
  const isShown = view.items.some(
    ({ event }) => event.kind === "USER_PROMPT" && event.messageId === prompt.messageId,
  );
  if (isShown) return view;
  const { taskId, contextId, state, at } = view;
  return reduceTaskView(view, { kind: "USER_PROMPT", ...prompt, taskId, contextId, state, at });
}
