import type { Limits } from "./limits.js";

/** Counts the sessions that run a turn. */
export interface TurnSlots {
  readonly size: number;
  /** Returns true if a session runs a turn already, or if both limits allow one more session. */
  hasRoom(contextId: string, owner: string): boolean;
  /** Counts a session as working, even beyond the limits. Does nothing if the session is counted already. */
  take(contextId: string, owner: string): void;
  /** Stops counting a session. Does nothing if the session is not counted. */
  release(contextId: string): void;
  /** Describes the limit that keeps an owner from one more turn: the limit of each owner, or of the server. */
  describeLimit(owner: string): string;
}

/** Limits of {@link TurnSlots}. */
export type TurnSlotLimits = Pick<Limits, "maxTurns" | "maxTurnsPerOwner">;

/** Creates slots that are all free. */
export function createTurnSlots({ maxTurns, maxTurnsPerOwner }: TurnSlotLimits): TurnSlots {
  const owners = new Map<string, string>();
  const turnsByOwner = new Map<string, number>();
  const countOf = (owner: string) => turnsByOwner.get(owner) ?? 0;

  return {
    get size() {
      return owners.size;
    },
    hasRoom(contextId, owner) {
      if (owners.has(contextId)) return true;
      return owners.size < maxTurns && countOf(owner) < maxTurnsPerOwner;
    },
    take(contextId, owner) {
      if (owners.has(contextId)) return;
      owners.set(contextId, owner);
      turnsByOwner.set(owner, countOf(owner) + 1);
    },
    release(contextId) {
      const owner = owners.get(contextId);
      if (owner === undefined) return;
      owners.delete(contextId);
      const left = countOf(owner) - 1;
      if (left === 0) turnsByOwner.delete(owner);
      else turnsByOwner.set(owner, left);
    },
    describeLimit(owner) {
      const isOwn = countOf(owner) >= maxTurnsPerOwner;
      return isOwn ? `${maxTurnsPerOwner} for each owner` : `${maxTurns} for this server`;
    },
  };
}
