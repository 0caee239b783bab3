/** Keys that were typed before a screen could read them. */
export interface EarlyKeys extends Disposable {
  /** Gives them to whoever reads the terminal next, which stays in raw mode. */
  handOver(): void;
}

const ctrlC = "\x03";

/**
 * Takes the terminal over at once and keeps what is typed while dt loads. Otherwise the terminal echoes it,
 * and Enter reaches the prompt as a line break. Ctrl-C still interrupts. Disposing of it gives the terminal
 * its own ways back.
 */
export function holdEarlyKeys(stdin: NodeJS.ReadStream, interrupt: () => void): EarlyKeys {
  let typed = "";
  let isHeld = true;

  function onData(chunk: string): void {
    // Before raw mode the terminal had already turned Enter into a line feed.
    typed += chunk.replaceAll("\n", "\r");
    if (!typed.includes(ctrlC)) return;
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
