import {
  type ExtensionUris,
  emptyTaskView,
  isTerminalState,
  type JsonObject,
  type Origin,
  reduceTaskView,
  type TaskView,
} from "@dt/schema";
import {
  type A2aFrame,
  decodeEvent,
  decodeTask,
  encodeClientMessage,
  methodNames,
  toTaskState,
} from "@dt/schema/wire";
import { hasCode } from "../errors/has-code.js";
import { isTransportError, TransportError } from "../errors/transport-error.js";
import { linkSignals } from "../transport/linked-signal.js";
import type { AgentChannel, Update } from "./agent-channel.js";
import { createMessageId, withPrompt } from "./own-prompt.js";
import { type Conversation, cancelTask, getTask } from "./requests.js";

/** What a channel with cursors is made of. */
export interface CursorChannelOptions extends Conversation {
  /** How this client names itself in its own view. */
  readonly origin: Origin;
}

/**
 * A channel to an agent whose session extension gives every event a cursor: a break costs nothing, since
 * a subscription goes on exactly after the last event that came.
 */
export function createCursorChannel(options: CursorChannelOptions): AgentChannel {
  const { transport, spelling, uris, attempts } = options;
  const methods = methodNames[spelling.version];

  async function firstFrame(params: JsonObject, signal: AbortSignal) {
    for await (const { result, cursor } of transport.stream(methods.stream, params, { signal })) {
      return { frame: spelling.decodeFrame(result, "result"), cursor };
    }
    throw new TransportError("closed", "the stream ended before the agent answered");
  }

  /** A subscription that ended without a word: the task had nothing left to say, or something cut it. */
  async function findEnd(taskId: string, signal: AbortSignal): Promise<TaskView | undefined> {
    const view = await getTask(options, taskId, signal);
    return isTerminalState(view.state) ? view : undefined;
  }

  return {
    continuesEndedTasks: spelling.version === "0.3",
    repeatsPrompts: true,
    sharesCursors: true,

    async send(content, place, signal) {
      // One id for all tries: should the answer get lost, the agent knows the message already.
      const messageId = createMessageId();
      const message = encodeClientMessage(content, { messageId, ...place }, uris);
      const params = { message: spelling.encodeMessage(message) };
      const { frame, cursor } = await attempts.run(
        (aborted) => firstFrame(params, aborted),
        signal,
      );
      const view = viewOf(frame, cursor, uris);
      if (content.type !== "prompt") return view;
      return withPrompt(view, { messageId, parts: content.parts, origin: options.origin });
    },

    get: (...args) => getTask(options, ...args),
    cancel: (taskId, signal) => cancelTask(options, taskId, signal),

    async *follow(taskId, after, outer, isUnplaced = false) {
      const link = linkSignals(attempts.closing, outer);
      const { signal } = link;
      let place: Place = { cursor: after, end: "unknown" };
      let attempt = 0;
      let emptyEnds = 0;
      try {
        while (!signal.aborted) {
          let reason: unknown = new TransportError("closed", "the stream ended early");
          try {
            const { cursor } = place;
            const open = { after: cursor, signal, onOpen: attempts.reached };
            for await (const one of transport.stream(methods.subscribe, { id: taskId }, open)) {
              attempt = 0;
              const frame = spelling.decodeFrame(one.result, "result");
              const update = toUpdate(frame, one.cursor, place, uris);
              place = placeAfter(frame, update, place);
              if (update !== undefined) yield update;
            }
            if (place.end === "told") return;
            if (place.end !== "running") {
              const end = await findEnd(taskId, signal);
              if (end !== undefined && (end.cursor ?? place.cursor) === place.cursor) return;
              if (end !== undefined && isUnplaced && place.cursor === after) {
                emptyEnds += 1;
                if (emptyEnds >= MAX_EMPTY_ENDS) return;
                continue;
              }
            }
          } catch (failure) {
            reason = failure;
          }
          if (signal.aborted) return;
          // The agent is there: it is this program that was slow.
          if (isTransportError(reason) && reason.reason === "lagged") continue;
          // The log no longer goes back to where this subscription had come: a snapshot does.
          if (hasCode(reason, "cursor-not-found") && place.cursor !== after) {
            place = { cursor: undefined, end: "unknown" };
            continue;
          }
          if (hasCode(reason, "internal") && attempt < MAX_FAULTS) {
            reason = new TransportError("closed", "a fault of the agent", { cause: reason });
          }
          await attempts.pause(attempt, reason, signal);
          attempt += 1;
        }
      } finally {
        link.release();
      }
    },
  };
}

/** How often a fault of the agent's own is taken for one that passes. */
const MAX_FAULTS = 5;

/** How often nothing comes after an unplaced cursor before it is believed: a proxy may have cut it. */
const MAX_EMPTY_ENDS = 3;

/** How far a subscription has come. */
interface Place {
  readonly cursor: string | undefined;
  /** Whether the task has ended: an event told it; the task that came first says so; or not known. */
  readonly end: "told" | "shown" | "running" | "unknown";
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
    const { cursor = place.cursor, state } = update.event;
    return { cursor, end: isTerminalState(state) ? "told" : "running" };
  }
  if (frame.type !== "task") return place;
  const isEnded = isTerminalState(toTaskState(frame.task.status.state));
  // A snapshot holds all there is; a task that only introduces may be ahead of what follows it.
  const end = update === undefined ? "shown" : "told";
  return { cursor: update?.view.cursor ?? place.cursor, end: isEnded ? end : "running" };
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
