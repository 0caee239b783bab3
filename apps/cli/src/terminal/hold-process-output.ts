/** The screen's own way to the terminal, while everyone else is held. */
export interface HeldOutput extends Disposable {
  readonly stdout: NodeJS.WriteStream;
}

/**
 * Keeps everyone else's words off the screen while it is drawn: what a library prints, and Node's own
 * warnings, go to `take` instead. Disposing gives them back their streams.
 */
export function holdProcessOutput(take: (text: string) => void): HeldOutput {
  const { stdout, stderr } = process;
  const held = [stdout, stderr].map((stream) => ({ stream, write: stream.write }));
  const warningListeners = process.listeners("warning");
  const onWarning = (warning: Error) => take(`${warning.stack ?? warning.message}\n`);
  const own = withWrite(stdout, stdout.write.bind(stdout));
  const hold = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    take(String(chunk));
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
 * Node writes to a terminal synchronously: one that does not read would hold up the whole process, and
 * with it everyone who has joined the session. There is no public way to say otherwise.
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
