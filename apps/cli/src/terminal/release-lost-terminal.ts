import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isatty } from "node:tty";

/**
 * Lets go of a terminal that was closed before the process ends. Node gives a terminal its old ways
 * back at the very end, and aborts where it cannot.
 */
export function releaseLostTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on("exit", () => {
    for (const descriptor of terminals) {
      if (isatty(descriptor)) continue;
      closeSync(descriptor);
      // Takes the number that has become free: nothing else may get it.
      openSync(devNull, "r+");
    }
  });
}
