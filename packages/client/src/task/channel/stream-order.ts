import type { StreamResult } from "../../transport/transport.js";
import type { StreamSource } from "./stream-source.js";

/** What a stream is for. */
export interface StreamPurpose {
  /** Whether it was asked for beside those of our own messages, and only repeats what they bring. */
  readonly isSubscription?: boolean;
  /** Whether it is that of an answer: of the turn that runs, not of one that may still wait. */
  readonly isAnswer?: boolean;
}

/** A stream of a task. */
export interface OrderedStream extends Required<StreamPurpose>, Pick<StreamSource, "close"> {
  /** Which of them it is, in the order in which they were opened. */
  readonly number: number;
  /** Whether nothing of it was read yet. */
  isFresh: boolean;
  /** The next result; undefined at the end, "later" where another stream is to be read first. */
  next(): Promise<StreamResult | "later" | undefined>;
}

/** The streams of one task, of which one is read at a time. */
export interface StreamOrder {
  /** The one that is read; none at first. */
  readonly current: OrderedStream | undefined;
  /** How many of our own wait to be read. */
  readonly waiting: number;
  /** A stream with its number. */
  add(opened: StreamSource, purpose: StreamPurpose): OrderedStream;
  /** Keeps one of our own messages' streams for its time. */
  offer(own: OrderedStream): void;
  /** Goes on to the next: one that waits, else what `open` gives. */
  advance(open: () => OrderedStream | undefined): OrderedStream | undefined;
  /** The current one has ended. */
  leave(): void;
  /** Hangs up the current one. */
  drop(): void;
}

/** Creates an empty order: answers first, then prompts, each as they were sent. */
export function createStreamOrder(): StreamOrder {
  const offered: OrderedStream[] = [];
  let current: OrderedStream | undefined;
  let count = 0;
  let giveWay = () => {};

  function keep(own: OrderedStream): void {
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
      /** What is asked for and has not come yet: kept while another stream is read first. */
      let coming: Promise<StreamResult | undefined> | undefined;
      return {
        number: count,
        isSubscription,
        isAnswer,
        isFresh: true,
        close,
        async next() {
          coming ??= next();
          const called = new Promise<"later">((resolve) => {
            giveWay = () => resolve("later");
          });
          const result = await Promise.race([coming, called]);
          if (result !== "later") coming = undefined;
          return result;
        },
      };
    },
    offer(own) {
      const open = current;
      // A subscription would only repeat what comes on a stream of our own.
      if (open?.isSubscription === true) drop();
      // A prompt that waits for its turn says nothing before the turn that was answered has ended.
      else if (own.isAnswer && open?.isAnswer === false && open.isFresh) {
        current = undefined;
        keep(open);
      }
      keep(own);
      if (current !== open) giveWay();
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
