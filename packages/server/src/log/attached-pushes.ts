import type { PushRecord } from "../store/push-record.js";

/** The user and id of a message, which together identify it. */
export interface MessageKey {
  readonly user: string;
  readonly messageId: string;
}

/** Push configs that were sent with a message and wait for its commit. */
export interface AttachedPushes {
  /**
   * Attaches a config to a message that is about to be delivered. Call the returned function after the
   * delivery. It returns true if the message was committed with the config. Otherwise it detaches the config
   * and returns false.
   */
  attach(message: MessageKey, push: PushRecord): () => boolean;
  /** Removes the config of a message that is being committed. Returns the config with `after` as its position. */
  take(message: MessageKey, after: number): PushRecord | undefined;
}

/** Creates an empty list of attached configs. */
export function createAttachedPushes(): AttachedPushes {
  return new MessagePushes();
}

class MessagePushes implements AttachedPushes {
  // Created lazily: most sessions have no push config.
  private attached: Map<string, PushRecord> | undefined;

  attach(message: MessageKey, push: PushRecord): () => boolean {
    const key = keyOf(message);
    this.attached ??= new Map();
    const pushes = this.attached;
    pushes.set(key, push);
    return () => {
      const isCommitted = pushes.get(key) !== push;
      if (!isCommitted) pushes.delete(key);
      return isCommitted;
    };
  }

  take(message: MessageKey, after: number): PushRecord | undefined {
    if (this.attached === undefined) return undefined;
    const key = keyOf(message);
    const push = this.attached.get(key);
    this.attached.delete(key);
    return push && { ...push, progress: { ...push.progress, after } };
  }
}

function keyOf({ user, messageId }: MessageKey): string {
  return JSON.stringify([user, messageId]);
}
