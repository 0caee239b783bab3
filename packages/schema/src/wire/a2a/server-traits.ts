import type { A2aVersion } from "./a2a.js";

/** Differences between the versions of A2A, as far as a server acts on them. */
export interface ServerTraits {
  /** Every stream begins with the task. */
  readonly sendsTaskFirst: boolean;
  /** An error before the first frame of a stream is sent as the only event of the stream. */
  readonly sendsErrorsAsEvents: boolean;
  /**
   * A push config that is set without an id gets the task's id as its id. It replaces the config that
   * was set without an id before.
   */
  readonly namesConfigsByTask: boolean;
  /** A subscription to an ended task is refused if the client sends no cursor. (A2A 1.0 §3.1.6) */
  readonly refusesEndedSubscriptions: boolean;
  /** A push receiver gets tasks and no other frames. */
  readonly pushesTasksOnly: boolean;
  /** An agent card has the fields of both versions, because clients that name no version read it too. */
  readonly sharesCard: boolean;
}

/** Traits of each version. They are not fields of `A2aSpelling`, because clients do not need them. */
export const SERVER_TRAITS: Readonly<Record<A2aVersion, ServerTraits>> = {
  "0.3": {
    sendsTaskFirst: false,
    sendsErrorsAsEvents: true,
    namesConfigsByTask: true,
    refusesEndedSubscriptions: false,
    pushesTasksOnly: true,
    sharesCard: true,
  },
  "1.0": {
    sendsTaskFirst: true,
    sendsErrorsAsEvents: false,
    namesConfigsByTask: false,
    refusesEndedSubscriptions: true,
    pushesTasksOnly: false,
    sharesCard: false,
  },
};
