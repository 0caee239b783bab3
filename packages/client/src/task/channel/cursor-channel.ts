import {
  type ExtensionUris,
  emptyTaskView,
  isWaitingState,
  type JsonObject,
  type Origin,
  reduceTaskView,
  START_CURSOR,
  type TaskView,
} from "@dt/schema";
import {
  type A2aFrame,
  decodeEventFrame,
  decodeTask,
  encodeClientMessage,
  encodeFollowParams,
  isSessionIdle,
  METHOD_NAMES,
} from "@dt/schema/wire";
import { hasCode } from "../../errors/has-code.js";
import { isTransportError, TransportError } from "../../errors/transport-error.js";
import { linkSignals } from "../../transport/abort-signals.js";
import type { StreamOptions } from "../../transport/transport.js";
import { createMessageId, withPrompt } from "../session/own-prompt.js";
import type { SessionChannel } from "./agent-channel.js";
import { type Conversation, cancelTask, getTask } from "./requests.js";

/** Dependencies of a channel with cursors. */
export interface CursorChannelOptions extends Conversation {
  /** Origin of the prompts that this client adds to its own view, because replies to prompts omit them. */
  readonly origin: Origin;
}

/**
 * Creates a channel to an agent whose session extension adds a cursor to every event. After a break,
 * a subscription continues exactly after the last event.
 */
export function createCursorChannel(options: CursorChannelOptions): SessionChannel {
  const { transport, spelling, uris, attempts } = options;
  const methods = METHOD_NAMES[spelling.version];

  /**
   * Sends a message once and returns its task. If a prompt goes to a waiting task, the first frame
   * has the state from before the prompt, so the next update is applied too.
   *
   * A repeated message is sent with {@link START_CURSOR}, which asks for all events of its turn. Without a
   * cursor, the agent would begin with the task as it is now, and this client would miss the earlier events
   * of the turn.
   */
  async function sendOnce(
    params: JsonObject,
    options: StreamOptions,
    startsTurn: boolean,
  ): Promise<TaskView> {
    let task: TaskView | undefined;
    for await (const { result, cursor } of transport.stream(methods.stream, params, options)) {
      const frame = spelling.decodeFrame(result, "result");
      if (task !== undefined) {
        if (frame.type === "task" || frame.type === "message") return task;
        return reduceTaskView(task, decodeEventFrame(frame, uris, task));
      }
      task = viewOf(frame, cursor, uris);
      if (!startsTurn || frame.type !== "task" || !isWaitingState(task.state)) return task;
    }
    if (task !== undefined) return task;
    throw new TransportError("closed", "the stream ended without an answer");
  }

  return {
    continuesEndedTasks: spelling.continuesEndedTasks,

    async send(content, target, signal) {
      // All attempts use one id, so that the agent recognises a message whose reply was lost.
      const { messageId = createMessageId() } = target;
      const message = encodeClientMessage(content, { ...target, messageId }, uris);
      const params = { message: spelling.encodeMessage(message) };
      const isPrompt = content.type === "prompt";
      // If a prompt joins a running turn, `sendOnce` does not wait for the next update, because none
      // may come before somebody answers the turn's question.
      const startsTurn = isPrompt && content.steer === undefined;
      const view = await attempts.run(
        (attemptSignal, attempt) =>
          sendOnce(
            params,
            { signal: attemptSignal, after: attempt === 0 ? undefined : START_CURSOR },
            startsTurn,
          ),
        signal,
      );
      if (!isPrompt) return view;
      return withPrompt(view, { messageId, parts: content.parts, origin: options.origin });
    },

    get: (...args) => getTask(options, ...args),
    cancel: (taskId, signal) => cancelTask(options, taskId, signal),

    async *followSession(contextId, after, { signal: outer, untilIdle }) {
      const link = linkSignals(attempts.closing, outer);
      const { signal } = link;
      const params = encodeFollowParams({ contextId, untilIdle });
      let cursor = after;
      let attempt = 0;
      try {
        while (!signal.aborted) {
          let reason: unknown = new TransportError("closed", "the stream ended early");
          try {
            const open = { after: cursor, signal, onOpen: attempts.reached };
            for await (const { result } of transport.stream(
              methods["follow-session"],
              params,
              open,
            )) {
              attempt = 0;
              if (isSessionIdle(result)) return;
              const frame = spelling.decodeFrame(result, "result");
              if (frame.type === "task" || frame.type === "message") continue;
              const event = decodeEventFrame(frame, uris);
              cursor = event.cursor ?? cursor;
              yield event;
            }
          } catch (failure) {
            reason = failure;
          }
          if (signal.aborted) return;
          // The connection works, and this program only read too slowly, so no pause is needed.
          if (isTransportError(reason) && reason.reason === "lagged") continue;
          if (hasCode(reason, "internal") && attempt < MAX_FAULTS) {
            reason = new TransportError("closed", "the agent failed", { cause: reason });
          }
          // `pause` throws the reason if no retry may follow.
          await attempts.pause(attempt, reason, signal);
          attempt += 1;
        }
      } finally {
        link.release();
      }
    },
  };
}

/** Maximum number of retries in a row after an internal error of the agent. */
const MAX_FAULTS = 5;

function viewOf(frame: A2aFrame, cursor: string | undefined, uris: ExtensionUris): TaskView {
  if (frame.type === "task") {
    const view = decodeTask(frame.task, uris);
    return cursor === undefined ? view : { ...view, cursor };
  }
  if (frame.type === "message") {
    throw new TransportError("unreadable", "the agent sent a message instead of a task");
  }
  const empty = emptyTaskView(frame.taskId, frame.contextId);
  return reduceTaskView(empty, decodeEventFrame(frame, uris));
}
