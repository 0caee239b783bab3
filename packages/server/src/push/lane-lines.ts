import type { Lane, LaneLimits } from "./queue/receiver-queues.js";

/** Lanes that share a number of places, in line for them. */
export interface Lines<TLane extends Lane> {
  add(lane: TLane): void;
  remove(lane: Lane): void;
  /** The next lane for which there is a place; it has the place until it leaves. */
  take(): TLane | undefined;
  hasPlace(lane: Lane): boolean;
  enter(lane: Lane): void;
  leave(lane: Lane): void;
  /** Gives up the line of a receiver. */
  drop(origin: string, receiver: string): Line<TLane> | undefined;
  /** Takes over the line of a receiver that has none here. */
  adopt(origin: string, receiver: string, line: Line<TLane> | undefined): void;
  clear(): void;
}

/** Those that wait for one receiver, in order of arrival. */
export type Line<TLane> = Map<string, TLane>;

/** Opens lines with places of their own. Nothing here costs more the more lanes wait. */
export function createLines<TLane extends Lane>({
  maxCalls,
  maxCallsPerOrigin,
}: LaneLimits): Lines<TLane> {
  const hosts = new Map<string, Map<string, Line<TLane>>>();
  const calls = new Map<string, number>();
  let total = 0;

  function hasPlace({ origin }: Pick<Lane, "origin">): boolean {
    return total < maxCalls && (calls.get(origin) ?? 0) < maxCallsPerOrigin;
  }

  function enter({ origin }: Lane): void {
    total += 1;
    calls.set(origin, (calls.get(origin) ?? 0) + 1);
  }

  function drop(origin: string, receiver: string): Line<TLane> | undefined {
    const host = hosts.get(origin);
    const line = host?.get(receiver);
    host?.delete(receiver);
    if (host?.size === 0) hosts.delete(origin);
    return line;
  }

  function adopt(origin: string, receiver: string, line: Line<TLane> | undefined): void {
    if (line === undefined || line.size === 0) return;
    const host = hosts.get(origin) ?? new Map<string, Line<TLane>>();
    hosts.set(origin, host.set(receiver, line));
  }

  return {
    hasPlace,
    enter,
    drop,
    adopt,
    add(lane) {
      const { key, origin, receiver } = lane;
      const line = hosts.get(origin)?.get(receiver);
      if (line === undefined) adopt(origin, receiver, new Map([[key, lane]]));
      else line.set(key, lane);
    },
    remove({ key, origin, receiver }) {
      const line = hosts.get(origin)?.get(receiver);
      line?.delete(key);
      if (line?.size === 0) drop(origin, receiver);
    },
    take() {
      if (total >= maxCalls) return undefined;
      for (const [origin, host] of hosts) {
        if (!hasPlace({ origin })) continue;
        const [[receiver, line] = []] = host;
        const [lane] = line?.values() ?? [];
        if (receiver === undefined || line === undefined || lane === undefined) continue;
        line.delete(lane.key);
        // To the end of the line, the host among hosts and the receiver among its own: others first.
        host.delete(receiver);
        if (line.size > 0) host.set(receiver, line);
        hosts.delete(origin);
        if (host.size > 0) hosts.set(origin, host);
        enter(lane);
        return lane;
      }
      return undefined;
    },
    leave({ origin }) {
      total -= 1;
      const own = (calls.get(origin) ?? 1) - 1;
      if (own === 0) calls.delete(origin);
      else calls.set(origin, own);
    },
    clear: () => hosts.clear(),
  };
}
