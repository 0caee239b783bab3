import pino from "pino";
import { currentLogContext } from "./log-context.js";
import { createRedactor } from "./redact.js";

/** A log level. A logger with one level also writes the lines of the levels before it in this list. */
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

/** All levels, from the fewest log lines to the most. */
export const LOG_LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug"];

/** A structured log. Each line has data as fields, and a short text. */
export interface Logger {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  info(fields: object, text: string): void;
  debug(fields: object, text: string): void;
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  readonly level: LogLevel;
  /** Writes one line, which ends with a newline. */
  write(line: string): void;
  /** Added in front of the text of each line, e.g. "[A2AService] ". */
  readonly prefix?: string;
  /** Values that are always redacted, such as API keys from environment variables. */
  readonly secrets?: readonly string[];
}

/**
 * Creates a logger that writes JSON lines (pino). Each line contains the ids of its request, user and task. Secrets
 * are redacted. (SRV-13, SEC-05)
 */
export function createLogger({ level, write, prefix, secrets = [] }: LoggerOptions): Logger {
  const redact = createRedactor(secrets);
  return pino(
    {
      level,
      base: null,
      ...(prefix !== undefined && { msgPrefix: prefix }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
      // The context is copied, because pino adds the fields of the line to it.
      mixin: () => ({ ...currentLogContext() }),
    },
    { write: (line: string) => write(escapeUnseen(redact(line))) },
  );
}

/** Invisible characters that JSON does not escape but terminals act on: C1 controls, direction marks, tags. */
const UNSEEN = /[\x7f-\x9f]|(?!\u200d)[\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

// Replaces invisible characters by JSON escapes. A parser of the line gets the original text.
function escapeUnseen(line: string): string {
  return line.replace(UNSEEN, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** A logger that writes nothing. */
export const silentLogger: Logger = { error() {}, warn() {}, info() {}, debug() {} };
