import { ProtocolError } from "@dt/schema";

/** Counts the streams that each principal has open. */
export interface StreamLimit {
  /** Counts one more; returns how to count it off. Throws `agent-busy` past the limit. */
  open(principal: string): () => void;
}

/** A limit of so many streams each. */
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
