import type { Readable } from "node:stream";
import { UsageError } from "../args.js";

/** How many bytes may be piped in. */
const MOST_PIPED_BYTES = 1024 * 1024;

/** How piped input is read. */
export interface PipedInputOptions {
  /** Stops reading when it aborts. */
  readonly signal: AbortSignal;
  /** How long to wait for the first byte. Default: as long as it takes. */
  readonly silenceMs?: number;
  /** Called if none came in that time. */
  readonly onSilence?: () => void;
}

/**
 * Reads piped input to its end; undefined if there is none, or only white space. Throws a UsageError if
 * it is larger than 1 MiB.
 */
export async function readPipedInput(
  input: Readable,
  { signal, silenceMs, onSilence }: PipedInputOptions,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isSilent = false;
  const stop = () => input.destroy();
  const silent =
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
      clearTimeout(silent);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_PIPED_BYTES) throw tooLarge();
    }
  } catch (reason) {
    // Stopping ends the loop with an error.
    if (!isSilent && !signal.aborted) throw reason;
  } finally {
    clearTimeout(silent);
    signal.removeEventListener("abort", stop);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return text.trim() === "" || signal.aborted ? undefined : text;
}

function tooLarge(): UsageError {
  return new UsageError(
    `more than ${MOST_PIPED_BYTES} bytes are piped in; pipe in less, or write them to a file and let the agent read it`,
  );
}
