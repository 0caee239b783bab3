/** The stream that the screen uses while all other output is captured. */
export interface HeldOutput extends Disposable {
  readonly stdout: NodeJS.WriteStream;
}

/**
 * Captures all output that does not come from the screen, such as lines of libraries and warnings of Node,
 * because such output would destroy the screen. `onOutput` receives the output instead. Disposing restores
 * the streams.
 */
export function holdProcessOutput(onOutput: (text: string) => void): HeldOutput {
  const { stdout, stderr } = process;
  const held = [stdout, stderr].map((stream) => ({ stream, write: stream.write }));
  const warningListeners = process.listeners("warning");
  const onWarning = (warning: Error) => onOutput(`${warning.stack ?? warning.message}\n`);
  const own = withWrite(stdout, stdout.write.bind(stdout));
  const hold = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    onOutput(String(chunk));
    const callback = rest.at(-1);
    if (typeof callback === "function") setImmediate(() => callback());
    return true;
  }) as typeof stdout.write;
  setBlocking(stdout, false);
  stdout.write = hold;
  stderr.write = hold;
  process.removeAllListeners("warning");
  process.on("warning", onWarning);
  return {
    stdout: own,
    [Symbol.dispose]() {
      setBlocking(stdout, true);
      for (const { stream, write } of held) stream.write = write;
      process.off("warning", onWarning);
      for (const listener of warningListeners) process.on("warning", listener);
    },
  };
}

/**
 * Sets whether a write to the terminal blocks. By default a write blocks the process while the terminal does
 * not read, and then no client of the session gets a reply. Node has no public function for this setting.
 */
function setBlocking(stdout: NodeJS.WriteStream, isBlocking: boolean): void {
  const { _handle: handle } = stdout as { _handle?: { setBlocking?(isBlocking: boolean): void } };
  handle?.setBlocking?.(isBlocking);
}

function withWrite(
  stdout: NodeJS.WriteStream,
  write: NodeJS.WriteStream["write"],
): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
