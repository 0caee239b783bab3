import type { OutputFile } from "../workspace/output-file.js";
import { createControlStripper } from "../workspace/text/strip-control.js";
import { openLiveUpdates } from "./live-updates.js";
import { createOutputExcerpt, lastBytes } from "./output-excerpt.js";

/** Passes the output of a command on to the person, the model and the disk. */
export interface CommandOutput {
  /** Adds a piece; resolves with `stop` if the command has printed too much. */
  write(chunk: Buffer): Promise<"stop" | undefined>;
  /**
   * Ends the output and resolves with its text. If the output is long, the text contains only its
   * beginning, its end and the path of the file with the complete output.
   */
  finish(): Promise<string>;
}

/** Options of {@link openCommandOutput}. */
export interface CommandOutputOptions {
  readonly file: OutputFile;
  readonly print: (liveContent: string) => void;
  /** Size of one live update without its text. */
  readonly overheadBytes: number;
  /** Maximum size of the output. If the output is larger, `write` resolves with `stop`. */
  readonly maxBytes: number;
  /** Monotonic clock in milliseconds, for live updates. Default: the clock of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

const HEAD_BYTES = 8_000;
const TAIL_BYTES = 24_000;
const LIVE_BYTES = 4_000;

/** Opens the output of a command that starts now; `finish` closes it. */
export function openCommandOutput(options: CommandOutputOptions): CommandOutput {
  const { file, print, overheadBytes, maxBytes, elapsedMs } = options;
  const stripper = createControlStripper();
  const excerpt = createOutputExcerpt({ headBytes: HEAD_BYTES, tailBytes: TAIL_BYTES });
  const live = openLiveUpdates({ text: liveText, print, overheadBytes, elapsedMs });

  function liveText(): string {
    const line = lastBytes(stripper.line, LIVE_BYTES);
    return excerpt.tail(LIVE_BYTES - Buffer.byteLength(line)) + line;
  }

  return {
    async write(chunk) {
      excerpt.append(stripper.write(chunk));
      live.changed();
      await file.write(chunk);
      return file.totalBytes > maxBytes ? "stop" : undefined;
    },
    async finish() {
      live.close();
      excerpt.append(stripper.end());
      await file.close({ isWanted: excerpt.isCut });
      return excerpt.toText(
        ({ bytes, lines }) =>
          `[${bytes} bytes, ${lines} lines, left out here; ${describeFile(file)}]`,
      );
    },
  };
}

function describeFile({ path, failure }: OutputFile): string {
  return failure === undefined
    ? `the complete output is in ${path}; read parts of it with read_file or search_file_content`
    : "they could not be stored";
}
