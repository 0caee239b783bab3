/** The user and id of a message, which together identify it. */
export interface MessageKey {
  readonly user: string;
  readonly messageId: string;
}

/** Values that belong to messages and wait for the commits of these messages. */
export interface Attachments<TValue> {
  /**
   * Attaches a value to a message that is about to be delivered. Call the returned function after the
   * delivery. It returns true if the message was committed with the value. Otherwise it detaches the value
   * and returns false.
   */
  attach(message: MessageKey, value: TValue): () => boolean;
  /** Removes and returns the value of a message that is being committed. */
  take(message: MessageKey): TValue | undefined;
}

/** Creates an empty list. */
export function createAttachments<TValue>(): Attachments<TValue> {
  return new MessageAttachments();
}

class MessageAttachments<TValue> implements Attachments<TValue> {
  // Created lazily: most sessions never attach anything.
  private attached: Map<string, TValue> | undefined;

  attach(message: MessageKey, value: TValue): () => boolean {
    const key = keyOf(message);
    this.attached ??= new Map();
    const { attached } = this;
    attached.set(key, value);
    return () => {
      const isCommitted = attached.get(key) !== value;
      if (!isCommitted) attached.delete(key);
      return isCommitted;
    };
  }

  take(message: MessageKey): TValue | undefined {
    if (this.attached === undefined) return undefined;
    const key = keyOf(message);
    const value = this.attached.get(key);
    this.attached.delete(key);
    return value;
  }
}

function keyOf({ user, messageId }: MessageKey): string {
  return JSON.stringify([user, messageId]);
}
