import { isTerminalState, isWaitingState, type TaskView } from "@dt/schema";
import { METHOD_NAMES } from "@dt/schema/wire";
import { TransportError } from "../../errors/transport-error.js";
import { sleep } from "../../transport/reconnect.js";
import type { StreamResult } from "../../transport/transport.js";
import type { Conversation } from "../channel/requests.js";
import { createStreamOrder, type OrderedStream } from "../channel/stream-order.js";
import { openStreamSource, type StreamSource } from "../channel/stream-source.js";
import type { OwnPrompt } from "../session/own-prompt.js";
import { createInterruptibleWait } from "./interruptible-wait.js";
import { chooseAfterStream, pollDelay } from "./pull-decisions.js";
import { advancePull, INITIAL_PULL_STATE, type PullTransition } from "./pull-state.js";
import type { TaskFeed } from "./task-feed.js";
import { createTaskIntake, type MessageFrame } from "./task-intake.js";

/** Fetches the events of one task on demand, from streams of messages, a subscription or polls. */
export interface TaskPuller {
  /** Events and view of the task, as far as they were fetched. */
  readonly feed: Pick<TaskFeed, "view" | "isKnown" | "read">;
  /** True if the task has ended and no stream of a message waits to be read. */
  readonly isOver: boolean;
  /** True if no stream of the task is open. */
  readonly isIdle: boolean;
  /** Adds the first result of a stream that a message opened, and queues the stream. */
  addStream(first: StreamResult, source: StreamSource, prompt: OwnPrompt | undefined): void;
  /** Adds a message that the agent sent as its whole reply, and ends the task. */
  addReply(frame: MessageFrame, prompt: OwnPrompt | undefined): void;
  /** Resolves after the next event, reconnect or pause. Concurrent callers share one pull. */
  pull(): Promise<void>;
  /** Requests a snapshot of the task. */
  refresh(signal?: AbortSignal): Promise<TaskView>;
}

/** Creates a puller of one task. */
export function createTaskPuller(taskId: string, conversation: Conversation): TaskPuller {
  const { transport, spelling, attempts } = conversation;
  const { feed, ...intake } = createTaskIntake(taskId, conversation);
  const streams = createStreamOrder();
  const pause = createInterruptibleWait(attempts.closing);
  let state = INITIAL_PULL_STATE;
  let pulling: Promise<void> | undefined;

  const advance = (transition: PullTransition) => {
    state = advancePull(state, transition);
  };
  const isEnded = () => isTerminalState(feed.view.state);

  function subscribe(): OrderedStream | undefined {
    if (!state.canSubscribe) return undefined;
    const method = METHOD_NAMES[spelling.version].subscribe;
    const opened = openStreamSource({ transport, attempts, method, params: { id: taskId } });
    return streams.add(opened, { isSubscription: true });
  }

  /** Reads until the task changes. If the stream ends first, returns its end, with any error as `reason`. */
  async function readStream(open: OrderedStream): Promise<{ reason?: unknown } | undefined> {
    for (;;) {
      const result = await open.next();
      if (result === "later") return undefined;
      if (result === undefined) return {};
      advance("frame-received");
      const before = feed.view;
      await intake.read(result, open);
      open.isFresh = false;
      if (feed.view === before) continue;
      advance("task-changed");
      return undefined;
    }
  }

  async function step(): Promise<void> {
    const stream = streams.advance(subscribe);
    if (stream === undefined) return await poll();
    const end = await readStream(stream).catch((reason: unknown) => ({ reason }));
    if (end === undefined) {
      // No more events follow a terminal state, even if the agent leaves the stream open.
      if (isEnded()) streams.drop();
      return;
    }
    streams.leave();
    if (streams.waiting > 0 || isEnded()) return;
    const { isSubscription } = stream;
    const isWaiting = isWaitingState(feed.view.state);
    const next = chooseAfterStream({ ...end, isSubscription, isWaiting });
    if (next === undefined) return;
    if (next === "refused") advance("subscription-refused");
    if (next !== "retry") return await poll();
    const reason = end.reason ?? new TransportError("closed", "the stream ended early");
    await refreshAfter(async (signal) => {
      await attempts.pause(state.failures, reason, signal);
      advance("retry-started");
    });
  }

  async function poll(): Promise<void> {
    const pauseMs = pollDelay(state.quietPolls);
    advance("poll-started");
    await refreshAfter((signal) => sleep(pauseMs, signal));
  }

  /** Refreshes the task after a pause, unless a message of this client opened a stream meanwhile. */
  async function refreshAfter(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await pause.run(wait);
    if (streams.waiting === 0) await intake.refresh();
  }

  return {
    feed,
    get isOver() {
      return isEnded() && streams.waiting === 0;
    },
    get isIdle() {
      return streams.current === undefined && streams.waiting === 0;
    },
    refresh: intake.refresh,
    addReply: intake.addReply,
    addStream(first, opened, prompt) {
      const own = streams.add(opened, { isAnswer: prompt === undefined });
      intake.begin(first, own, prompt);
      advance("message-sent");
      streams.offer(own);
      pause.interrupt();
    },
    pull() {
      pulling ??= step().finally(() => {
        pulling = undefined;
      });
      return pulling;
    },
  };
}
