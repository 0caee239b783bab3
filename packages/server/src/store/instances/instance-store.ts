import type { Caller, SessionReply, SessionRequest, StampedEvent } from "@dt/schema";
import type { PushRecord } from "../push-record.js";

/** Functions of a store for the instances that share it. A store of only one process does not have them. */
export interface InstanceStore {
  /** Time after which other instances may take the sessions of an instance that does not answer. */
  readonly leaseMs: number;
  /** Interval at which a server looks for sessions whose holder is gone. */
  readonly takeOverEveryMs: number;
  /** Watches a session that another instance may write. Returns a function that ends the watch. */
  watch(contextId: string, watcher: SessionWatcher): () => void;
  /** Calls `callback` when another instance has given sessions back. Returns a function that unsubscribes. */
  subscribeToReleases(callback: () => void): () => void;
  /** Requests for sessions that another instance holds. */
  readonly inbox: Inbox;
  readonly credentials: SharedCredentials;
  readonly activity: SharedActivity;
}

/** Live output and clients of all instances. A store may lose them at any time. */
export interface SharedActivity {
  /**
   * Stores the clients that sessions have at this instance, by contextId. Returns the clients that these
   * sessions have at other instances.
   */
  exchangeClients(
    own: ReadonlyMap<string, readonly PresentClient[]>,
  ): Promise<readonly { readonly contextId: string; readonly clients: readonly PresentClient[] }[]>;
  /** Replaces the live output of calls. */
  publishLive(outputs: readonly SharedOutput[]): Promise<void>;
  /** Removes the live output of a session. */
  removeLive(contextId: string): Promise<void>;
  /** Reads the live output of sessions. The revision of a call changes with its output. */
  readLive(
    contextIds: readonly string[],
  ): Promise<readonly (SharedOutput & { readonly revision: number })[]>;
}

/** A client of a session; null stands for a subscriber of which no client is known. */
export type PresentClient = Pick<Caller, "user" | "name"> | null;

/** The newest live output of a call. */
export interface SharedOutput {
  readonly contextId: string;
  readonly toolCallId: string;
  readonly event: StampedEvent;
}

/** Credentials of clients whose requests an instance passes on to another instance. */
export interface SharedCredentials {
  /** Records that a credential of this instance is alive. */
  publish(credential: string): Promise<void>;
  /** Records that credentials of this instance have ended. */
  withdraw(credentials: readonly string[]): Promise<void>;
  /** Returns the given credentials, except those that have ended or whose instance has ended. */
  findAlive(credentials: readonly string[]): Promise<readonly string[]>;
}

/** Follows one session that another instance may write. */
export interface SessionWatcher {
  /** True if the changes of the session matter now. Otherwise the poll leaves the session out. */
  readonly isNeeded: boolean;
  /** Called when the session may have changed. */
  onWake(): void;
  /** Called by each poll with the position of the last stored event; undefined if the session does not exist. */
  onPoll(lastPosition: number | undefined): void;
}

/** A request for the agent of a session, with everything that the owner needs to handle the request. Plain JSON. */
export interface InboxRequest {
  readonly contextId: string;
  readonly request: SessionRequest;
  readonly caller: Caller;
  /** Dialect of the task that the request may create; absent for A2A. */
  readonly dialect?: string;
  /** Push config that the client sent with the message. */
  readonly push?: PushRecord;
}

/** A request that this instance has claimed. */
export interface ClaimedRequest extends InboxRequest {
  readonly id: string;
}

/**
 * The state of a request. `gone` means that the request is no longer stored: it was withdrawn, it became ten
 * minutes old, its session was deleted, or the same message was sent twice and the other sender has read the
 * reply.
 */
export type InboxState =
  | { readonly type: "waiting" }
  | { readonly type: "claimed" }
  | { readonly type: "answered"; readonly reply: SessionReply }
  | { readonly type: "gone" };

/**
 * Requests between instances. A request and its reply are stored until the sender has read the reply, but for
 * ten minutes at most.
 */
export interface Inbox {
  /**
   * Stores a request and returns its id. If the same message of the same user waits already, nothing is stored, and
   * the result is the id of the earlier request.
   */
  add(request: InboxRequest): Promise<string>;
  /**
   * Claims the requests for sessions that this instance holds, or may take because nobody holds them. If the
   * instance that claimed a request is gone, only a request that leaves a receipt is claimed again.
   */
  claim(): Promise<readonly ClaimedRequest[]>;
  /** Stores the reply to a request, unless it has a reply already. */
  answer(id: string, reply: SessionReply): Promise<void>;
  /** Gives back a request that this instance has claimed. The next owner of its session can then claim it. */
  unclaim(id: string): Promise<void>;
  readState(id: string): Promise<InboxState>;
  /** Resolves when the reply may have been stored, but at the latest after a short time. */
  waitForChange(id: string): Promise<void>;
  /**
   * Deletes a request if it has no reply yet, and no instance has claimed it or the instance that claimed it
   * is gone. Otherwise returns false.
   */
  withdraw(id: string): Promise<boolean>;
  /** Deletes a request whose reply was read. */
  remove(id: string): Promise<void>;
  /** Calls `callback` when there may be requests to claim. Returns a function that unsubscribes. */
  subscribe(callback: () => void): () => void;
}

/**
 * Returns the message id of a request that leaves a receipt: a prompt, a steering prompt or an answer.
 * Returns undefined for all other requests.
 */
export function receiptIdOf(request: SessionRequest): string | undefined {
  switch (request.type) {
    case "prompt":
    case "steer":
    case "answer":
      return request.messageId;
    default:
      return undefined;
  }
}
