import { isRestingState, isTerminalState, type TaskView } from "@dt/schema";
import { methodNames } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import { linkSignals } from "../transport/abort-signals.js";
import { sleep } from "../transport/reconnect.js";
import type { StreamResult } from "../transport/transport.js";
import type { Conversation } from "./channel/requests.js";
import { createStreamOrder, type OrderedStream } from "./channel/stream-order.js";
import { openStreamSource, type StreamSource } from "./channel/stream-source.js";
import { chooseAfterStream, pollDelay } from "./pull-decisions.js";
import type { OwnPrompt } from "./session/own-prompt.js";
import type { TaskFeed } from "./task-feed.js";
import { createTaskIntake } from "./task-intake.js";

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

/** Creates a puller of one task. */
export function createTaskPuller(taskId: string, conversation: Conversation): TaskPuller {
  const { transport, spelling, attempts } = conversation;
  const { feed, ...intake } = createTaskIntake(taskId, conversation);
  const streams = createStreamOrder();
  let canSubscribe = true;
  // Failures in a row since something arrived, and polls in a row since the task changed.
  let attempt = 0;
  let quietRounds = 0;
  let pulling: Promise<void> | undefined;
  let wake = () => {};

  const isEnded = () => feed.isKnown && isTerminalState(feed.view.state);

  function subscribe(): OrderedStream | undefined {
    if (!canSubscribe) return undefined;
    const method = methodNames[spelling.version].subscribe;
    const opened = openStreamSource({ transport, attempts, method, params: { id: taskId } });
    return streams.add(opened, { isSubscription: true });
  }

  /** Reads until something is new. Returns the end of the stream instead, if it has ended. */
  async function readStream(open: OrderedStream): Promise<{ reason?: unknown } | undefined> {
    for (;;) {
      const result = await open.next();
      if (result === "later") return undefined;
      if (result === undefined) return {};
      attempt = 0;
      const before = feed.view;
      await intake.read(result, open);
      open.isFresh = false;
      if (feed.view === before) continue;
      quietRounds = 0;
      return undefined;
    }
  }

  async function step(): Promise<void> {
    const stream = streams.advance(subscribe);
    if (stream === undefined) return await poll();
    const end = await readStream(stream).catch((reason: unknown) => ({ reason }));
    if (end === undefined) {
      // A task that has ended says no more on this stream, even if the agent leaves it open.
      if (isEnded()) streams.drop();
      return;
    }
    streams.leave();
    if (streams.waiting > 0 || isEnded()) return;
    const act = chooseAfterStream({
      ...end,
      isSubscription: stream.isSubscription,
      isResting: isRestingState(feed.view.state),
    });
    if (act === undefined) return;
    if (act === "refused") canSubscribe = false;
    if (act !== "retry") return await poll();
    const reason = end.reason ?? new TransportError("closed", "the stream ended early");
    await untilOffered((signal) => attempts.pause(attempt, reason, signal));
    attempt += 1;
    if (streams.waiting === 0) await intake.refresh();
  }

  /** Waits a while, longer each time, and asks for the task. */
  async function poll(): Promise<void> {
    const pauseMs = pollDelay(quietRounds);
    quietRounds += 1;
    await untilOffered((signal) => sleep(pauseMs, signal));
    if (streams.waiting === 0) await intake.refresh();
  }

  /** Waits, until a message of ours opens a stream at the latest. */
  async function untilOffered(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const link = linkSignals(attempts.closing);
    wake = () => link.abort(undefined);
    try {
      await wait(link.signal);
    } finally {
      link.release();
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
    refresh: intake.refresh,
    take(first, opened, prompt) {
      const own = streams.add(opened, { isAnswer: prompt === undefined });
      intake.begin(first, own, prompt);
      attempt = 0;
      quietRounds = 0;
      streams.offer(own);
      wake();
    },
    pull() {
      pulling ??= step().finally(() => {
        pulling = undefined;
      });
      // The caller may have left meanwhile.
      pulling.catch(() => {});
      return pulling;
    },
  };
}
