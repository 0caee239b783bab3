import type { Caller } from "@dt/schema";

/** Someone who asks about a session or follows it. */
export type Visitor = Pick<Caller, "user" | "name">;

/** Who has asked about a session lately, by the names that they go by. */
export interface Visitors {
  see(visitor: Visitor): void;
  /** How many clients there are: the names that follow or have asked, and who follows without one. */
  count(following: readonly (Visitor | undefined)[]): number;
}

/** How long someone who asked is still there: screens ask every two seconds. */
const stayMs = 6_000;

/** How many are remembered: beyond that the oldest are forgotten. */
const mostSeen = 1_000;

/** Remembers visitors by a clock in milliseconds. */
export function createVisitors(now: () => number): Visitors {
  const seen = new Map<string, number>();

  function forget(): void {
    for (const [key, at] of seen) {
      if (now() - at < stayMs && seen.size <= mostSeen) return;
      seen.delete(key);
    }
  }

  return {
    see(visitor) {
      const key = keyOf(visitor);
      if (key === undefined) return;
      // The one seen last stands last.
      seen.delete(key);
      seen.set(key, now());
      forget();
    },
    count(following) {
      forget();
      const keys = following.map((each) => each && keyOf(each));
      const named = new Set([...seen.keys(), ...keys.filter((key) => key !== undefined)]);
      return named.size + keys.filter((key) => key === undefined).length;
    },
  };
}

/** Undefined for who gave no name: one of them cannot be told from another. */
function keyOf({ user, name }: Visitor): string | undefined {
  return name === "" || name === user ? undefined : JSON.stringify([user, name]);
}
