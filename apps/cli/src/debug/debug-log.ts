import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { createLogger, type Logger, SetupError, secretsOf } from "@dt/server";

/** What `--debug` writes. */
export interface DebugLog {
  /** For what the session and its endpoint do. */
  readonly logger: Logger;
  /** For what someone printed while the screen was drawn. */
  write(text: string): void;
  /** Where it is; undefined where nothing is written. */
  readonly file: string | undefined;
}

const silent: Logger = { error() {}, warn() {}, info() {}, debug() {} };

/** A log that goes nowhere. */
export const noDebugLog: DebugLog = { logger: silent, write() {}, file: undefined };

/** Starts a log of this run. What cannot be written is left out: a full disk must not end a session. */
export function openDebugLog(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): DebugLog {
  const name = `dt-${new Date().toISOString().replaceAll(":", "-")}-${process.pid}.log`;
  const file = path.join(directory, name);
  const append = (text: string) => {
    try {
      appendFileSync(file, text, { mode: 0o600 });
    } catch {
      // Nowhere left to say so.
    }
  };
  makeDirectory(directory);
  const logger = createLogger({
    level: "debug",
    prefix: "[A2AService] ",
    secrets: secretsOf(environment),
    write: append,
  });
  return { logger, file, write: (text) => append(text.endsWith("\n") ? text : `${text}\n`) };
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SetupError(`--debug: ${directory} cannot be made: ${reason}`, { cause });
  }
}
