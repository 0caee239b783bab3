import { createKeyDecoder, type Key } from "../keys/decode-keys.js";

/** The keyboard, key by key. */
export interface KeyInput {
  /** Gives the terminal its own ways back, for another program. */
  pause(): void;
  resume(): void;
  close(): void;
}

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";

/** How long an escape may wait for what follows it, if it begins a sequence. */
const escapeMs = 30;

/** Reads keys as they are pressed, until it is closed. `onEnd`: the terminal is gone. */
export function openKeyInput(
  { stdin, stdout }: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream },
  handlers: { onKeys(keys: readonly Key[]): void; onEnd(): void },
): KeyInput {
  const decoder = createKeyDecoder();
  let flushing: NodeJS.Timeout | undefined;

  function onData(chunk: string | Buffer): void {
    clearTimeout(flushing);
    const keys = decoder.write(String(chunk));
    if (keys.length > 0) handlers.onKeys(keys);
    if (decoder.isPending) {
      flushing = setTimeout(() => handlers.onKeys(decoder.flush()), escapeMs);
    }
  }

  function resume(): void {
    stdin.setRawMode(true);
    stdout.write(pasteOn);
    stdin.on("data", onData);
    stdin.resume();
  }

  function pause(): void {
    clearTimeout(flushing);
    stdin.off("data", onData);
    stdin.pause();
    stdout.write(pasteOff);
    stdin.setRawMode(false);
  }

  // However the process ends, the terminal must not go on marking pastes.
  const onExit = () => stdout.write(pasteOff);
  process.on("exit", onExit);
  stdin.setEncoding("utf8");
  stdin.on("end", handlers.onEnd);
  // A terminal that was closed is an end like any other. Nobody may be left to listen when the last
  // thing that is done to it fails, so this one stays.
  let isOpen = true;
  stdin.on("error", () => {
    if (isOpen) handlers.onEnd();
  });
  resume();
  return {
    pause,
    resume,
    close() {
      isOpen = false;
      stdin.off("end", handlers.onEnd);
      process.off("exit", onExit);
      pause();
      stdin.unref();
    },
  };
}
