import { ProtocolError } from "@dt/schema";

/** Limits the open streams of each user. */
export interface StreamLimit {
  /** Counts a stream; returns a function that ends the count. Throws `agent-busy` beyond the limit. */
  open(principal: string): () => void;
}

/** Creates a limit that holds for each user. */
export function createStreamLimit(maxPerPrincipal: number): StreamLimit {
  const counts = new Map<string, number>();
  return {
    open(principal) {
      const count = counts.get(principal) ?? 0;
      if (count >= maxPerPrincipal) {
        throw new ProtocolError("agent-busy", `${count} streams are open already; close one`, {
          data: { retryAfterMs: 1_000 },
        });
      }
      counts.set(principal, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (counts.get(principal) ?? 1) - 1;
        if (left === 0) counts.delete(principal);
        else counts.set(principal, left);
      };
    },
  };
}
