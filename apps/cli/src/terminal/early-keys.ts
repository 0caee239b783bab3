/** Stores keys that are typed before the screen can read them. */
export interface EarlyKeys extends Disposable {
  /** Puts the keys back into the input, where the screen reads them. The terminal stays in raw mode. */
  handOver(): void;
}

const CTRL_C = "\x03";

/**
 * Switches the terminal to raw mode and stores the keys that are typed while dt loads. Otherwise the
 * terminal would echo them, and Enter would reach the input field as a line break. Ctrl-C still interrupts
 * dt. Disposing the result ends raw mode.
 */
export function holdEarlyKeys(stdin: NodeJS.ReadStream, interrupt: () => void): EarlyKeys {
  let typed = "";
  let isHeld = true;

  function onData(chunk: string): void {
    // Before raw mode the terminal turned Enter into a line feed.
    typed += chunk.replaceAll("\n", "\r");
    if (!typed.includes(CTRL_C)) return;
    release();
    stdin.setRawMode(false);
    interrupt();
  }

  function release(): void {
    isHeld = false;
    stdin.off("data", onData);
    stdin.pause();
  }

  stdin.setEncoding("utf8");
  stdin.setRawMode(true);
  stdin.on("data", onData);
  return {
    handOver() {
      if (!isHeld) return;
      release();
      if (typed !== "") stdin.unshift(typed, "utf8");
    },
    [Symbol.dispose]() {
      if (!isHeld) return;
      release();
      stdin.setRawMode(false);
    },
  };
}
