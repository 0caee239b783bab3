import type { A2aPushConfig, A2aSpelling, Activation } from "@dt/schema/wire";
import type { MessageKey, SessionLog } from "../../log/session-log.js";
import type { PushKey, PushRecord, PushTarget } from "../../store/push-record.js";

/** The version and the extensions of a client that sets a config. */
export interface PushClient {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
}

/** All that the methods need of those who call back. */
export interface PushConfigs {
  /** What a client asks for, checked; throws `invalid-message` with the path of the fault. */
  parse(config: A2aPushConfig, path: string, client: PushClient): PushTarget;
  /** Sets a config of a task that is there. Its receiver is told first how the task stands. */
  set(request: PushRequest): Promise<PushRecord>;
  /** Lets a config become durable with a message that is about to be delivered. */
  attach(request: PushRequest, message: AttachedTo): Promise<AttachedPush>;
  /** The configs of a task, by their id. */
  list(taskId: string): Promise<readonly PushRecord[]>;
  /** How many receivers have something to be told, or wait to be called again. */
  countPending(): Promise<number>;
  /** Forgets a config; resolves when its receiver is not called any more. */
  delete(key: PushKey): Promise<void>;
}

/** A config that is to be set. */
export interface PushRequest extends PushKey {
  readonly contextId: string;
  readonly target: PushTarget;
}

/** The message that a config came with, and the log that it goes into. */
export interface AttachedTo {
  readonly message: MessageKey;
  readonly log: SessionLog;
}

/** A config that waits for its message to be taken. */
export interface AttachedPush {
  /** The message was taken: the config counts, from after this place on. */
  settle(after: number): Promise<void>;
  /** The message was refused: so is the config. */
  drop(): void;
}
