/** Returns the time in milliseconds since 1970. A test can pass its own. */
export type WallClock = () => number;

/** The platform's clock; the only code of this package that reads it. */
export const systemWallClock: WallClock = () => Date.now();

/** Returns the current time as A2A writes it. */
export function readTimestamp(now: WallClock = systemWallClock): string {
  return new Date(now()).toISOString();
}
