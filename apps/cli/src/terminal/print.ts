import { writeSync } from "node:fs";
import { showControl } from "@dt/schema";

/** Prints a line on standard output with control characters escaped. */
export function printLine(text: string): void {
  console.log(showControl(text));
}

/** Prints a line on standard error. Control characters are escaped, because the line may quote a server. */
export function printError(text: string): void {
  console.error(showControl(text));
}

/**
 * Prints an unexpected error with its stack. Writes directly to the descriptor, because a screen may capture
 * the stream.
 */
export function printFault(reason: unknown): void {
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  writeSync(process.stderr.fd, `${showControl(text)}\n`);
}
