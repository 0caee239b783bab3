import { isWaitingState, type TaskView } from "@dt/schema";
import { type A2aFrame, type A2aTask, toTaskState } from "@dt/schema/wire";
import type { StreamResult } from "../../transport/transport.js";
import { createFrameReader } from "../channel/frame-reader.js";
import { createRepeatedFrames } from "../channel/repeated-frames.js";
import { type Conversation, request } from "../channel/requests.js";
import type { OrderedStream } from "../channel/stream-order.js";
import type { OwnPrompt } from "../session/own-prompt.js";
import { createTaskFeed, type TaskFeed } from "./task-feed.js";

/** Adds the results of requests and streams to the feed of one task. */
export interface TaskIntake {
  readonly feed: TaskFeed;
  /** Requests the task and adds it to the feed as a snapshot. */
  refresh(signal?: AbortSignal): Promise<TaskView>;
  /** Adds one result of a stream to the feed. */
  read(result: StreamResult, stream: OrderedStream): Promise<void>;
  /** Adds the first result of a stream that a message opened. */
  begin(first: StreamResult, own: OrderedStream, prompt: OwnPrompt | undefined): void;
  /** Adds a message that the agent sent as its whole reply, and ends the task. */
  addReply(frame: MessageFrame, prompt: OwnPrompt | undefined): void;
}

/** A message that an agent sends instead of a task. */
export type MessageFrame = A2aFrame & { readonly type: "message" };

/** Number of messages to request. Some agents send no messages if the request has no number. */
const HISTORY_LENGTH = 1_000;

/** Creates the intake of a task about which nothing is known yet. */
export function createTaskIntake(taskId: string, conversation: Conversation): TaskIntake {
  const { spelling, uris } = conversation;
  const feed = createTaskFeed(taskId);
  const reader = createFrameReader(uris);
  const repeated = createRepeatedFrames();

  async function refresh(signal?: AbortSignal): Promise<TaskView> {
    const params = { id: taskId, historyLength: HISTORY_LENGTH };
    const json = await request(conversation, "get", params, signal);
    feed.addSnapshot(reader.readTask(spelling.decodeTask(json, "result")));
    return feed.view;
  }

  function add(frame: A2aFrame, { result }: StreamResult, { number }: OrderedStream): void {
    if (frame.type === "task") feed.addSnapshot(reader.readTask(frame.task));
    else if (!repeated.isRepeated(result, number)) feed.add(reader.readEvent(frame, feed.view));
  }

  /** Returns true if a refresh already added the text of this frame. */
  function isIncluded(frame: Exclude<A2aFrame, { type: "task" }>, before: TaskView): boolean {
    const event = reader.readEvent(frame, feed.view);
    const last = feed.view.items.at(-1)?.event;
    return (
      feed.view !== before &&
      event.kind === "TEXT_CONTENT" &&
      last?.kind === "TEXT_CONTENT" &&
      last.text.endsWith(event.text)
    );
  }

  // Returns true if a task frame adds nothing to the feed: the task is known and runs, and its events
  // follow the frame.
  const isIntroduction = ({ status }: A2aTask) =>
    feed.isKnown && !isWaitingState(toTaskState(status.state));

  return {
    feed,
    refresh,
    async read(result, stream) {
      const frame = spelling.decodeFrame(result.result, "result");
      if (stream.isFresh && stream.isSubscription && frame.type !== "task") {
        // A subscription that does not begin with the task leaves out earlier events, so the task
        // is requested.
        const before = feed.view;
        await refresh();
        if (isIncluded(frame, before)) return;
      }
      add(frame, result, stream);
    },
    begin(first, own, prompt) {
      const frame = spelling.decodeFrame(first.result, "result");
      if (frame.type === "task" && !isIntroduction(frame.task)) add(frame, first, own);
      if (prompt !== undefined) addPrompt(feed, prompt, frame);
      if (frame.type !== "task") add(frame, first, own);
    },
    addReply(frame, prompt) {
      const { contextId = "" } = frame.message;
      const header = { taskId, contextId, state: "completed", at: "" } as const;
      if (prompt !== undefined) feed.add({ kind: "USER_PROMPT", ...prompt, ...header });
      feed.add({ ...reader.readEvent(frame, feed.view), ...header });
      feed.add({ kind: "STATE_CHANGE", ...header });
    },
  };
}

function addPrompt(feed: TaskFeed, prompt: OwnPrompt, frame: A2aFrame): void {
  const isShown = feed.view.items.some(
    ({ event }) => event.kind === "USER_PROMPT" && event.messageId === prompt.messageId,
  );
  if (isShown || frame.type === "message") return;
  const shown = frame.type === "task" ? frame.task : frame;
  const status = "status" in shown ? shown.status : undefined;
  feed.add({
    kind: "USER_PROMPT",
    ...prompt,
    taskId: feed.view.taskId,
    contextId: shown.contextId,
    state: status === undefined ? feed.view.state : toTaskState(status.state),
    at: status?.timestamp ?? feed.view.at,
  });
}
