/** The bytes of messages that have begun to arrive and are not whole yet, of all sockets together. */
export interface UnfinishedBytes {
  /** Counts one more message. `drop` is called if it is the largest when there are too many bytes. */
  open(drop: () => void): UnfinishedMessage;
  /** How many bytes are held now. */
  readonly total: number;
}

/** What has arrived of one message. */
export interface UnfinishedMessage {
  /** How many bytes of it are held now. */
  set(bytes: number): void;
  /** It is whole, or gone. */
  close(): void;
}

/**
 * Bounds the sum. One message may be as large as its own limit allows; many senders that never finish
 * theirs would still add up. Past the bound the largest message is dropped, whoever was last.
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
          while (total > maxBytes && messages.size > 0) dropLargest();
        },
        close: () => remove(message),
      };
    },
  };
}
