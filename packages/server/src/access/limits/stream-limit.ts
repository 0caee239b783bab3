import { ProtocolError } from "@dt/schema";

/** Limits the open streams of each user. */
export interface StreamLimit {
  /** Counts a stream, or throws `agent-busy` at the limit. Call the returned function when the stream closes. */
  open(user: string): () => void;
}

/** Creates a limit that applies to each user separately. */
export function createStreamLimit(maxPerUser: number): StreamLimit {
  const counts = new Map<string, number>();
  return {
    open(user) {
      const count = counts.get(user) ?? 0;
      if (count >= maxPerUser) {
        throw new ProtocolError("agent-busy", `${count} streams are open already; close one`, {
          data: { retryAfterMs: 1_000 },
        });
      }
      counts.set(user, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (counts.get(user) ?? 1) - 1;
        if (left === 0) counts.delete(user);
        else counts.set(user, left);
      };
    },
  };
}
