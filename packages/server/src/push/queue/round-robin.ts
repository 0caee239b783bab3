/** Round robin on two levels: hosts take turns, and so do the receivers of one host. */
export interface RoundRobin<TReceiver extends { readonly origin: string }> {
  /** Adds a receiver after the other receivers of its host. Does nothing if the receiver was added before. */
  add(receiver: TReceiver): void;
  delete(receiver: TReceiver): void;
  /** Returns the next receiver whose host may be called. Moves this receiver and its host to the end. */
  next(mayCall: (origin: string) => boolean): TReceiver | undefined;
}

/** Creates an empty round robin. The cost of `next` grows only with the number of hosts that `mayCall` rejects. */
export function createRoundRobin<
  TReceiver extends { readonly origin: string },
>(): RoundRobin<TReceiver> {
  const hosts = new Map<string, Set<TReceiver>>();

  return {
    add(receiver) {
      const host = hosts.get(receiver.origin) ?? new Set();
      hosts.set(receiver.origin, host.add(receiver));
    },
    delete(receiver) {
      const host = hosts.get(receiver.origin);
      host?.delete(receiver);
      if (host?.size === 0) hosts.delete(receiver.origin);
    },
    next(mayCall) {
      for (const [origin, host] of hosts) {
        if (!mayCall(origin)) continue;
        const [receiver] = host;
        if (receiver === undefined) continue;
        host.delete(receiver);
        hosts.delete(origin);
        hosts.set(origin, host.add(receiver));
        return receiver;
      }
      return undefined;
    },
  };
}
