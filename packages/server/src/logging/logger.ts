import pino from "pino";
import { currentLogContext } from "./log-context.js";
import { createRedactor } from "./redact.js";

/** How much is logged; each level holds those before it. */
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

/** Every level, the quietest first. */
export const logLevels: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug"];

/** Where the server says what it does: facts in fields, one sentence of text. */
export interface Logger {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  info(fields: object, text: string): void;
  debug(fields: object, text: string): void;
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  readonly level: LogLevel;
  /** Takes one line, which ends in a newline. */
  write(line: string): void;
  /** What every line's text begins with, e.g. "[A2AService] ". */
  readonly prefix?: string;
  /** Values that must never be written, such as the keys in the environment. */
  readonly secrets?: readonly string[];
}

/**
 * A logger of JSON lines (pino): each carries the ids of the request, the principal and the task that
 * it belongs to, and none carries a secret. (SRV-13, SEC-05)
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
      // A copy: pino writes the line's own fields into it.
      mixin: () => ({ ...currentLogContext() }),
    },
    { write: (line: string) => write(escapeUnseen(redact(line))) },
  );
}

/** What JSON leaves as it is although a terminal would obey it: C1 controls, marks of direction, tags. */
const unseen = /[\x7f-\x9f]|(?!\u200d)[\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

// As JSON writes them, so that a line is read as it was meant.
function escapeUnseen(line: string): string {
  return line.replace(unseen, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** A logger that says nothing. */
export const silentLogger: Logger = { error() {}, warn() {}, info() {}, debug() {} };
