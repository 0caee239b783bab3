import { writeSync } from "node:fs";
import { showControl } from "@dt/schema";

/** Prints a text on standard output; nothing in it moves a cursor or hides what follows. */
export function say(text: string): void {
  console.log(showControl(text));
}

/** Prints a text on standard error, where it may hold the words of a server, a file or a setting. */
export function complain(text: string): void {
  console.error(showControl(text));
}

/** Prints a fault that nobody expected, with where it happened, although a screen may hold the streams. */
export function complainOfFault(reason: unknown): void {
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  writeSync(process.stderr.fd, `${showControl(text)}\n`);
}
