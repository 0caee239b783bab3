import { isRestingState, isTerminalState, type TaskView } from "@dt/schema";
import { methodNames } from "@dt/schema/wire";
import { hasCode } from "../errors/has-code.js";
import { TransportError } from "../errors/transport-error.js";
import { linkSignals } from "../transport/abort-signals.js";
import { sleep } from "../transport/reconnect.js";
import type { StreamResult } from "../transport/transport.js";
import type { Conversation } from "./channel/requests.js";
import { createStreamOrder, type OrderedStream } from "./channel/stream-order.js";
import { openStreamSource, type StreamSource } from "./channel/stream-source.js";
import {
  advancePull,
  chooseAfterStream,
  FIRST_PROGRESS,
  type PullStep,
  pollDelay,
} from "./pull-progress.js";
import type { OwnPrompt } from "./session/own-prompt.js";
import type { TaskFeed } from "./task-feed.js";
import { createTaskIntake, type TaskIntake } from "./task-intake.js";

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
  let progress = FIRST_PROGRESS;
  let pulling: Promise<void> | undefined;
  const pause = createPause(attempts.closing);

  const isEnded = () => feed.isKnown && isTerminalState(feed.view.state);
  const note = (step: PullStep) => {
    progress = advancePull(progress, step);
  };

  function subscribe(): OrderedStream | undefined {
    if (!progress.canSubscribe) return undefined;
    const method = methodNames[spelling.version].subscribe;
    const opened = openStreamSource({ transport, attempts, method, params: { id: taskId } });
    return streams.add(opened, { isSubscription: true });
  }

  async function step(): Promise<void> {
    const stream = streams.advance(subscribe);
    if (stream === undefined) return await poll();
    const end = await readStream(stream, { feed, read: intake.read, note });
    if (end === undefined) {
      // A task that has ended says no more on this stream, even if the agent leaves it open.
      if (isEnded()) streams.drop();
      return;
    }
    streams.leave();
    const act = chooseAfterStream({
      isSubscription: stream.isSubscription,
      isUnsupported: isUnsupported(end.reason),
      hasFailed: end.reason !== undefined,
      isReplaced: streams.waiting > 0 || isEnded(),
      isResting: isRestingState(feed.view.state),
    });
    if (act === "nothing") return;
    if (act === "stop-subscribing") note("refused");
    if (act !== "retry") return await poll();
    const reason = end.reason ?? new TransportError("closed", "the stream ended early");
    await pause.run((signal) => attempts.pause(progress.attempt, reason, signal));
    note("failed");
    if (streams.waiting === 0) await intake.refresh();
  }

  /** Waits a while, longer each time, and asks for the task. */
  async function poll(): Promise<void> {
    const pauseMs = pollDelay(progress);
    note("polled");
    await pause.run((signal) => sleep(pauseMs, signal));
    if (streams.waiting === 0) await intake.refresh();
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
      note("sent");
      streams.offer(own);
      pause.end();
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

/** Reads until something is new. Returns the end of the stream instead, if it has ended. */
async function readStream(
  stream: OrderedStream,
  { feed, read, note }: Pick<TaskIntake, "feed" | "read"> & { note(step: PullStep): void },
): Promise<{ readonly reason?: unknown } | undefined> {
  try {
    for (;;) {
      const result = await stream.next();
      if (result === "later") return undefined;
      if (result === undefined) return {};
      note("received");
      const before = feed.view;
      await read(result, stream);
      stream.isFresh = false;
      if (feed.view === before) continue;
      note("changed");
      return undefined;
    }
  } catch (reason) {
    return { reason };
  }
}

/** Creates a pause that ends early when a message of ours opens a stream, or when the client closes. */
function createPause(closing: AbortSignal) {
  let end = () => {};
  return {
    end: () => end(),
    async run(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
      const link = linkSignals(closing);
      end = () => link.abort(undefined);
      try {
        await wait(link.signal);
      } finally {
        link.release();
        end = () => {};
      }
    },
  };
}

/** True if the agent knows no subscriptions, or none of this task. */
function isUnsupported(reason: unknown): boolean {
  return hasCode(reason, "method-not-found") || hasCode(reason, "unsupported-operation");
}
