import type { EarlyKeys } from "../terminal/early-keys.js";

/** The directories, environment variables and typed keys that a subcommand such as `dt attach` uses. */
export interface CommandContext {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directory in which dt was started. */
  readonly workspacePath: string;
  /** Keys that are typed before the screen is open; undefined if there will be no screen. */
  readonly earlyKeys: EarlyKeys | undefined;
}
