import type { Origin } from "@dt/schema";

/** Who has asked about a session lately, by the names that they go by. */
export interface Visitors {
  see(visitor: Origin): void;
  /** How many clients there are: the names that follow or have asked, and who follows without one. */
  count(following: readonly (Origin | undefined)[]): number;
}

/** How long someone who asked is still there: screens ask every two seconds. */
const stayMs = 6_000;

/** How many are remembered: beyond that the oldest are forgotten. */
const mostSeen = 1_000;

/** Remembers visitors by a clock in milliseconds. */
export function createVisitors(now: () => number = () => performance.now()): Visitors {
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
function keyOf({ principal, name }: Origin): string | undefined {
  return name === "" || name === principal ? undefined : JSON.stringify([principal, name]);
}
