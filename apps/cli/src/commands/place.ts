import type { EarlyKeys } from "../terminal/early-keys.js";

/** Where dt was started, and what it was given there. */
export interface Place {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspacePath: string;
  /** What is typed before the screen is there; undefined if there will be none. */
  readonly earlyKeys: EarlyKeys | undefined;
}
