/** Returns the time in milliseconds since 1970. A test can pass its own clock. */
export type WallClock = () => number;

/** The platform's clock; no other code of this package reads it. */
export const systemWallClock: WallClock = () => Date.now();
