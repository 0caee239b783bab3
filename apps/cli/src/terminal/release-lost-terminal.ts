import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isatty } from "node:tty";

/**
 * Closes the descriptors of a lost terminal when the process ends. Otherwise Node tries to restore the
 * terminal settings and aborts.
 */
export function releaseLostTerminalAtExit(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on("exit", () => {
    for (const descriptor of terminals) {
      if (isatty(descriptor)) continue;
      closeSync(descriptor);
      // The null device gets the free descriptor, so that no other file can get it.
      openSync(devNull, "r+");
    }
  });
}
