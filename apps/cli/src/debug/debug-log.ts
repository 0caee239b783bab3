import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { createLogger, type Logger, SetupError, secretsOf } from "@dt/server";

/** The log of `--debug`. */
export interface DebugLog {
  /** Logger for the session and its endpoint. */
  readonly logger: Logger;
  /** Writes output that was captured while the screen was open. */
  write(text: string): void;
  /** Path of the log; undefined if nothing is written. */
  readonly file: string | undefined;
}

const SILENT_LOGGER: Logger = { error() {}, warn() {}, info() {}, debug() {} };

/** A log that writes nothing. */
export const NO_DEBUG_LOG: DebugLog = { logger: SILENT_LOGGER, write() {}, file: undefined };

/** Opens a log of this run. Failed writes are ignored, because a full disk must not end a session. */
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
      // A failed write could be reported only in this log, so the failure is ignored.
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
    throw new SetupError(
      `--debug: the directory ${directory} cannot be created: ${reason}; choose another DT_DATA_DIR`,
      { cause },
    );
  }
}
