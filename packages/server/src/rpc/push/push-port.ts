import type { A2aPushConfig, A2aSpelling, Activation } from "@dt/schema/wire";
import type { MessageKey, SessionLog } from "../../log/session-log.js";
import type { PushKey, PushRecord, PushTarget } from "../../store/push-record.js";

/** The A2A version and the active extensions of a client that sets a config. */
export interface PushClient {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
}

/** The push configs of a server, for its methods. */
export interface ServerPushConfigs {
  /** Converts the config of a client to a target; throws `invalid-message` with the path of a fault. */
  parse(config: A2aPushConfig, path: string, client: PushClient): PushTarget;
  /** Sets a config. If the task exists, the first delivery of a new config is the whole task. */
  set(request: PushRequest): Promise<PushRecord>;
  /** Attaches a config to a message that is about to be delivered, so that both are committed together. */
  attach(request: PushRequest, message: AttachedTo): Promise<AttachedPush>;
  /** Lists the configs of a task, sorted by id. */
  list(taskId: string): Promise<readonly PushRecord[]>;
  /** Counts the configs that have something to deliver, or wait for the next attempt. */
  countPending(): Promise<number>;
  /** Deletes a config; resolves when its receiver is no longer called. */
  delete(key: PushKey): Promise<void>;
}

/** A request to set a config. */
export interface PushRequest extends PushKey {
  readonly contextId: string;
  readonly target: PushTarget;
}

/** The message of a config, and the log of its session. */
export interface AttachedTo {
  readonly message: MessageKey;
  readonly log: SessionLog;
}

/** A config that waits for its message to be accepted. */
export interface AttachedPush {
  /** Stores the config if the message was committed without it. Events after the position `after` are delivered. */
  settle(after: number): Promise<void>;
  /** Drops the config, because the message was refused. */
  drop(): void;
}
