import { isRestingState, isTerminalState, type TaskView } from "@dt/schema";
import { type A2aFrame, type A2aTask, methodNames, toTaskState } from "@dt/schema/wire";
import { hasCode } from "../errors/has-code.js";
import { TransportError } from "../errors/transport-error.js";
import { sleep } from "../transport/reconnect.js";
import type { StreamResult } from "../transport/transport.js";
import { createFrameReader } from "./channel/frame-reader.js";
import { createRepeatedFrames } from "./channel/repeated-frames.js";
import { type Conversation, request } from "./channel/requests.js";
import { createStreamOrder, type OrderedStream } from "./channel/stream-order.js";
import { openStreamSource, type StreamSource } from "./channel/stream-source.js";
import type { OwnPrompt } from "./session/own-prompt.js";
import { createTaskFeed, type TaskFeed } from "./task-feed.js";

/** Fetches what happens in one task when someone wants to know, from whichever stream brings it. */
export interface TaskPuller extends Pick<TaskFeed, "view" | "isKnown" | "read"> {
  /** Whether the task has ended and nothing of it is left to read. */
  readonly isOver: boolean;
  /** Whether no stream of it is open. */
  readonly isIdle: boolean;
  /** Takes the first result of a stream that a message opened, and the stream for later. */
  take(first: StreamResult, source: StreamSource, prompt: OwnPrompt | undefined): void;
  /** Fetches something: an event, a reconnect or a wait. All who ask at once share one. */
  pull(): Promise<void>;
  /** Asks for the task as it stands. */
  refresh(signal?: AbortSignal): Promise<TaskView>;
}

/** How many messages of a task are asked for: some agents show none where nobody says. */
const HISTORY_LENGTH = 1_000;

/** How long to wait before an agent that ends subscriptions at once is asked again. */
const QUIET_MS = [500, 1_000, 2_000, 5_000] as const;

/** Creates a puller of one task. */
export function createTaskPuller(taskId: string, conversation: Conversation): TaskPuller {
  const { transport, spelling, uris, attempts } = conversation;
  const feed = createTaskFeed(taskId);
  const reader = createFrameReader(uris);
  const repeated = createRepeatedFrames();
  const streams = createStreamOrder();
  let canSubscribe = true;
  let attempt = 0;
  let quietRounds = 0;
  let pulling: Promise<void> | undefined;
  let wake = () => {};

  const isEnded = () => feed.isKnown && isTerminalState(feed.view.state);

  async function refresh(signal?: AbortSignal): Promise<TaskView> {
    const params = { id: taskId, historyLength: HISTORY_LENGTH };
    const json = await request(conversation, "get", params, signal);
    feed.absorb(reader.readTask(spelling.decodeTask(json, "result")));
    return feed.view;
  }

  function read({ result }: StreamResult, { number }: OrderedStream): void {
    const frame = spelling.decodeFrame(result, "result");
    if (frame.type === "task") feed.absorb(reader.readTask(frame.task));
    else if (!repeated.isRepeated(result, number)) feed.add(reader.readEvent(frame, feed.view));
  }

  /** A subscription that does not begin with the task leaves open what happened before it. */
  async function readFirst(result: StreamResult, open: OrderedStream): Promise<void> {
    const frame = spelling.decodeFrame(result.result, "result");
    if (!open.isSubscription || frame.type === "task") return read(result, open);
    const before = feed.view;
    await refresh();
    const event = reader.readEvent(frame, feed.view);
    const last = feed.view.items.at(-1)?.event;
    const isIncluded =
      feed.view !== before &&
      event.kind === "TEXT_CONTENT" &&
      last?.kind === "TEXT_CONTENT" &&
      last.text.endsWith(event.text);
    if (!isIncluded) read(result, open);
  }

  function subscribe(): OrderedStream | undefined {
    if (!canSubscribe) return undefined;
    const method = methodNames[spelling.version].subscribe;
    const opened = openStreamSource({ transport, attempts, method, params: { id: taskId } });
    return streams.add(opened, { isSubscription: true });
  }

  /** Reads until something is new. Gives what ended the stream instead, if anything did. */
  async function readSource(
    open: OrderedStream,
  ): Promise<{ readonly reason?: unknown } | undefined> {
    try {
      for (;;) {
        const result = await open.next();
        if (result === "later") return undefined;
        if (result === undefined) return {};
        attempt = 0;
        const before = feed.view;
        if (open.isFresh) await readFirst(result, open);
        else read(result, open);
        open.isFresh = false;
        if (feed.view === before) continue;
        quietRounds = 0;
        return undefined;
      }
    } catch (reason) {
      return { reason };
    }
  }

  async function step(): Promise<void> {
    const source = streams.advance(subscribe);
    if (source === undefined) return await poll();
    const { isSubscription } = source;
    const end = await readSource(source);
    if (end === undefined) {
      // A task that has ended says no more on this stream, whether the agent closes it or not.
      if (isEnded()) streams.drop();
      return;
    }
    streams.leave();
    if (streams.waiting > 0 || isEnded()) return;
    if (isSubscription && isUnsupported(end.reason)) {
      canSubscribe = false;
      return await poll();
    }
    if (end.reason === undefined && isRestingState(feed.view.state)) {
      // Its stream ended as it should. Others may still answer or prompt: a subscription would tell.
      if (isSubscription) await poll();
      return;
    }
    const reason = end.reason ?? new TransportError("closed", "the stream ended early");
    await untilOffered((signal) => attempts.pause(attempt, reason, signal));
    attempt += 1;
    if (streams.waiting === 0) await refresh();
  }

  /** Waits a while, longer each time, and asks for the task. */
  async function poll(): Promise<void> {
    const pauseMs = QUIET_MS[Math.min(quietRounds, QUIET_MS.length - 1)] ?? 0;
    quietRounds += 1;
    await untilOffered((signal) => sleep(pauseMs, signal));
    if (streams.waiting === 0) await refresh();
  }

  function isIntroduction({ status }: A2aTask): boolean {
    return feed.isKnown && !isRestingState(toTaskState(status.state));
  }

  /** Waits, but not longer than until a message of ours opens a stream. */
  async function untilOffered(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const cut = new AbortController();
    const close = () => cut.abort(attempts.closing.reason);
    wake = () => cut.abort();
    attempts.closing.addEventListener("abort", close);
    if (attempts.closing.aborted) close();
    try {
      if (streams.waiting === 0) await wait(cut.signal);
    } finally {
      attempts.closing.removeEventListener("abort", close);
      wake = () => {};
    }
  }

  return {
    get view() {
      return feed.view;
    },
    get isKnown() {
      return feed.isKnown;
    },
    get isOver() {
      return isEnded() && streams.waiting === 0;
    },
    get isIdle() {
      return streams.current === undefined && streams.waiting === 0;
    },
    read: feed.read,
    refresh,
    take(first, opened, prompt) {
      const own = streams.add(opened, { isAnswer: prompt === undefined });
      const frame = spelling.decodeFrame(first.result, "result");
      // A task that comes first holds the prompt, or only says which task it is: the rest follows.
      if (frame.type === "task" && !isIntroduction(frame.task)) read(first, own);
      if (prompt !== undefined) addPrompt(feed, prompt, frame);
      if (frame.type !== "task") read(first, own);
      attempt = 0;
      quietRounds = 0;
      streams.offer(own);
      wake();
    },
    pull() {
      pulling ??= step().finally(() => {
        pulling = undefined;
      });
      // Whoever asked may have left meanwhile.
      pulling.catch(() => {});
      return pulling;
    },
  };
}

function addPrompt(feed: TaskFeed, prompt: OwnPrompt, frame: A2aFrame): void {
  const isShown = feed.view.items.some(
    ({ event }) => event.kind === "USER_PROMPT" && event.messageId === prompt.messageId,
  );
  if (isShown || frame.type === "message") return;
  const { contextId } = frame.type === "task" ? frame.task : frame;
  const { status } = frame.type === "artifact-update" ? { status: undefined } : statusOf(frame);
  feed.add({
    kind: "USER_PROMPT",
    ...prompt,
    taskId: feed.view.taskId,
    contextId,
    state: status === undefined ? feed.view.state : toTaskState(status.state),
    at: status?.timestamp ?? feed.view.at,
  });
}

function statusOf(frame: A2aFrame & { type: "task" | "status-update" }) {
  return frame.type === "task" ? frame.task : frame;
}

/** Whether an agent knows no subscriptions, or none of this task. */
function isUnsupported(reason: unknown): boolean {
  return hasCode(reason, "method-not-found") || hasCode(reason, "unsupported-operation");
}
