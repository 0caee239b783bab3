import type { EarlyKeys } from "../terminal/early-keys.js";

/** The surroundings in which a command of dt runs. */
export interface CommandContext {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directory in which dt was started. */
  readonly workspacePath: string;
  /** Keys that are typed before the screen is open; undefined if there will be no screen. */
  readonly earlyKeys: EarlyKeys | undefined;
}
