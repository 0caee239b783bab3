import type { StreamResult } from "../../transport/transport.js";
import type { StreamSource } from "./stream-source.js";

/** Purpose of a stream. */
export interface StreamPurpose {
  /** True for a subscription. It repeats the events that this client's messages get on their own streams. */
  readonly isSubscription?: boolean;
  /**
   * True for the stream of an answer. An answer belongs to the running turn; a prompt may be
   * queued.
   */
  readonly isAnswer?: boolean;
}

/** A stream of a task, with its number. */
export interface OrderedStream extends Required<StreamPurpose>, Pick<StreamSource, "close"> {
  /** Number of the stream, in the order of opening. */
  readonly number: number;
  /** True until the puller has read a result from the stream. */
  isFresh: boolean;
  /**
   * Returns the next result; undefined at the end of the stream, or "later" if another stream must be read
   * first.
   */
  next(): Promise<StreamResult | "later" | undefined>;
}

/** The streams of one task, of which one is read at a time. */
export interface StreamOrder {
  /** The stream that is being read; undefined before the first stream and between two streams. */
  readonly current: OrderedStream | undefined;
  /** Number of streams of this client's messages that wait to be read. */
  readonly waiting: number;
  /** Gives a stream its number; does not queue it. */
  add(opened: StreamSource, purpose: StreamPurpose): OrderedStream;
  /** Queues the stream of a message of this client. */
  offer(own: OrderedStream): void;
  /** Returns the current stream, else the next queued stream, else the stream that `open` returns. */
  advance(open: () => OrderedStream | undefined): OrderedStream | undefined;
  /** Forgets the current stream, because it has ended. */
  leave(): void;
  /** Closes the current stream. */
  drop(): void;
}

/**
 * Creates an order without streams. The streams of answers are read first, then the streams of prompts.
 * Streams of one kind are read in the order in which their messages were sent.
 */
export function createStreamOrder(): StreamOrder {
  const offered: OrderedStream[] = [];
  let current: OrderedStream | undefined;
  let count = 0;
  let interruptRead = () => {};

  function enqueue(own: OrderedStream): void {
    offered.push(own);
    offered.sort(
      (one, other) => Number(other.isAnswer) - Number(one.isAnswer) || one.number - other.number,
    );
  }

  function drop(): void {
    current?.close();
    current = undefined;
  }

  return {
    get current() {
      return current;
    },
    get waiting() {
      return offered.length;
    },
    add({ next, close }, { isSubscription = false, isAnswer = false }) {
      count += 1;
      /** The pending result; stored while another stream is read first. */
      let pending: Promise<StreamResult | undefined> | undefined;
      return {
        number: count,
        isSubscription,
        isAnswer,
        isFresh: true,
        close,
        async next() {
          pending ??= next();
          const called = new Promise<"later">((resolve) => {
            interruptRead = () => resolve("later");
          });
          const result = await Promise.race([pending, called]);
          if (result !== "later") pending = undefined;
          return result;
        },
      };
    },
    offer(own) {
      const open = current;
      // A subscription would only repeat the events of the message's stream.
      if (open?.isSubscription === true) drop();
      // The answer's stream is read first, because a queued prompt has no events during the answered turn.
      else if (own.isAnswer && open?.isAnswer === false && open.isFresh) {
        current = undefined;
        enqueue(open);
      }
      enqueue(own);
      if (current !== open) interruptRead();
    },
    advance(open) {
      current ??= offered.shift() ?? open();
      return current;
    },
    leave() {
      current = undefined;
    },
    drop,
  };
}
