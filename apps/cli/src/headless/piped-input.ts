import type { Readable } from "node:stream";
import { UsageError } from "../args.js";

const MAX_PIPED_BYTES = 1024 * 1024;

/** Options of {@link readPipedInput}. */
export interface PipedInputOptions {
  /** Reading stops when this signal aborts. */
  readonly signal: AbortSignal;
  /** Timeout for the first byte. Default: no timeout. */
  readonly silenceMs?: number;
  /** Called when no byte has arrived within `silenceMs`. */
  readonly onSilence?: () => void;
}

/**
 * Reads piped input to its end; resolves with undefined if the input is empty or only white space. Throws a
 * UsageError if the input is larger than 1 MiB.
 */
export async function readPipedInput(
  input: Readable,
  { signal, silenceMs, onSilence }: PipedInputOptions,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isSilent = false;
  const stop = () => input.destroy();
  const silenceTimer =
    silenceMs === undefined
      ? undefined
      : setTimeout(() => {
          isSilent = true;
          onSilence?.();
          stop();
        }, silenceMs);
  signal.addEventListener("abort", stop);
  try {
    for await (const chunk of input) {
      clearTimeout(silenceTimer);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_PIPED_BYTES) throw tooLarge();
    }
  } catch (reason) {
    // `stop` destroys the input, which ends the loop with an error. Only other errors are rethrown.
    if (!isSilent && !signal.aborted) throw reason;
  } finally {
    clearTimeout(silenceTimer);
    signal.removeEventListener("abort", stop);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return text.trim() === "" || signal.aborted ? undefined : text;
}

function tooLarge(): UsageError {
  return new UsageError(
    `the piped input is larger than ${MAX_PIPED_BYTES} bytes; pipe in less, or let the agent read it from a file`,
  );
}
