/** Counts the bytes of the incomplete messages of all sockets. */
export interface UnfinishedBytes {
  /** Adds a message. If the limit is exceeded while this message is the largest one, `drop` is called. */
  open(drop: () => void): UnfinishedMessage;
  /** Total size of the incomplete messages in memory, in bytes. */
  readonly total: number;
}

/** One message that has begun to arrive. */
export interface UnfinishedMessage {
  /** Sets the number of bytes of this message in memory. */
  set(bytes: number): void;
  /** Removes a message that is complete or dropped. */
  close(): void;
}

/**
 * Creates a limit on the total size of all incomplete messages. The size of each message is limited elsewhere, but
 * many messages together could still fill the memory. Beyond the limit, the largest message is dropped.
 */
export function createUnfinishedBytes(maxBytes: number): UnfinishedBytes {
  const messages = new Set<{ bytes: number; drop(): void }>();
  let total = 0;

  function dropLargest(): void {
    const [first, ...others] = messages;
    if (first === undefined) return;
    const largest = others.reduce((most, each) => (each.bytes > most.bytes ? each : most), first);
    remove(largest);
    largest.drop();
  }

  function remove(message: { bytes: number; drop(): void }): void {
    if (messages.delete(message)) total -= message.bytes;
  }

  return {
    get total() {
      return total;
    },
    open(drop) {
      const message = { bytes: 0, drop };
      messages.add(message);
      return {
        set(bytes) {
          if (!messages.has(message)) return;
          total += bytes - message.bytes;
          message.bytes = bytes;
          while (total > maxBytes) dropLargest();
        },
        close: () => remove(message),
      };
    },
  };
}
