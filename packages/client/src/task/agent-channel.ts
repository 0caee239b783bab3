import {
  type ExtensionUris,
  emptyTaskView,
  isTerminalState,
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
  toTaskState,
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
  /** The task as it stands. Its cursor is where {@link follow} goes on from. */
  get(taskId: string, signal?: AbortSignal): Promise<TaskView>;
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

    async get(taskId, signal) {
      const json = await transport.call(methods.get, { id: taskId }, signal);
      return decodeTask(spelling.decodeTask(json, "result"), uris);
    },

    async *follow(taskId, after, signal) {
      const aborted = anyOf(signal);
      let place: Place = { cursor: after, isEnded: false };
      for (let attempt = 0; !aborted.aborted; attempt += 1) {
        try {
          const stream = transport.stream(
            methods.subscribe,
            { id: taskId },
            { after: place.cursor, signal: aborted },
          );
          for await (const { result, cursor } of stream) {
            if (attempt > 0) monitor.report({ status: "connected" });
            attempt = 0;
            const frame = spelling.decodeFrame(result, "result");
            const update = toUpdate(frame, cursor, place, uris);
            place = placeAfter(frame, update, place);
            if (update !== undefined) yield update;
          }
          // An agent ends the stream when the task has ended; anything else on the way may end it too.
          if (place.isEnded) return;
          await pause(attempt, new TransportError("closed", "the stream ended early"), aborted);
        } catch (reason) {
          if (aborted.aborted) return;
          if (!mayHeal(reason)) throw reason;
          await pause(attempt, reason, aborted);
        }
      }
    },

    async cancel(taskId, signal) {
      const aborted = anyOf(signal);
      await retrying(() => transport.call(methods.cancel, { id: taskId }, aborted), aborted);
    },
  };
}

/** How far a subscription has come. */
interface Place {
  readonly cursor: string | undefined;
  /** Whether the task has ended, as far as is known. */
  readonly isEnded: boolean;
}

function toUpdate(
  frame: A2aFrame,
  cursor: string | undefined,
  place: Place,
  uris: ExtensionUris,
): Update | undefined {
  if (frame.type === "status-update") return { type: "event", event: decodeEvent(frame, uris) };
  // With a cursor, a task only introduces what follows; it holds nothing that was not seen.
  if (frame.type !== "task" || place.cursor !== undefined) return undefined;
  const view = decodeTask(frame.task, uris);
  const known = view.cursor ?? cursor;
  return { type: "snapshot", view: known === undefined ? view : { ...view, cursor: known } };
}

function placeAfter(frame: A2aFrame, update: Update | undefined, place: Place): Place {
  if (update?.type === "event") {
    const { event } = update;
    return { cursor: event.cursor ?? place.cursor, isEnded: isTerminalState(event.state) };
  }
  if (frame.type !== "task") return place;
  return {
    cursor: update?.view.cursor ?? place.cursor,
    isEnded: isTerminalState(toTaskState(frame.task.status.state)),
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
