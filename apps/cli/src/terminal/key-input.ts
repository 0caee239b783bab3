import { createKeyDecoder, type Key } from "../keys/decode-keys.js";

/** Reads the keyboard. */
export interface KeyInput {
  /** Stops reading and ends raw mode, so that another program can use the terminal. */
  pause(): void;
  resume(): void;
  close(): void;
}

const BRACKETED_PASTE_ON = "\x1b[?2004h";
const BRACKETED_PASTE_OFF = "\x1b[?2004l";

/** Time after which an escape byte is read as the Escape key and not as the start of a sequence. */
const ESCAPE_MS = 30;

/** Reads keys until the result is closed. `onEnd` is called when the terminal is gone. */
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
      flushing = setTimeout(() => handlers.onKeys(decoder.flush()), ESCAPE_MS);
    }
  }

  function resume(): void {
    stdin.setRawMode(true);
    stdout.write(BRACKETED_PASTE_ON);
    stdin.on("data", onData);
    stdin.resume();
  }

  function pause(): void {
    clearTimeout(flushing);
    stdin.off("data", onData);
    stdin.pause();
    stdout.write(BRACKETED_PASTE_OFF);
    stdin.setRawMode(false);
  }

  // Bracketed paste is switched off when the process ends, because the shell may not expect it.
  const onExit = () => stdout.write(BRACKETED_PASTE_OFF);
  process.on("exit", onExit);
  stdin.setEncoding("utf8");
  stdin.on("end", handlers.onEnd);
  // An error means that the terminal is lost, so the input has ended. The listener stays after `close`,
  // because the last write to a lost terminal may cause one more error.
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
