import type { PairingOptions } from "@dt/server";

/** Texts for the person that come from the endpoint and not from the session. */
export interface Notices {
  add(text: string): void;
  /** Calls the listener with the texts so far and with each later one. Returns a function that unsubscribes. */
  subscribe(listener: (text: string) => void): () => void;
}

/** Maximum number of texts that wait for a listener. */
const MAX_WAITING = 100;

/** Creates an empty list of notices. Texts wait until somebody subscribes. */
export function createNotices(): Notices {
  const listeners = new Set<(text: string) => void>();
  let waiting: string[] = [];
  return {
    add(text) {
      if (listeners.size === 0) waiting = [...waiting, text].slice(-MAX_WAITING);
      for (const listener of listeners) listener(text);
    },
    subscribe(listener) {
      listeners.add(listener);
      for (const text of waiting) listener(text);
      waiting = [];
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Creates the callbacks of pairing. They add a notice when a device was paired, or when too many wrong codes
 * were sent.
 */
export function toPairingNotices(
  notices: Pick<Notices, "add">,
): Pick<PairingOptions, "onPaired" | "onTriedTooOften"> {
  return {
    onPaired: ({ name, role }) =>
      notices.add(
        `${name} is paired with the role ${role}; /clients revoke ${name} revokes its token`,
      ),
    onTriedTooOften: () =>
      notices.add(
        "too many wrong codes were sent, so the link has ended; type /share for a new one",
      ),
  };
}
