import type { OutputFile } from "../workspace/output-file.js";
import { createControlStripper } from "../workspace/text/strip-control.js";
import { openLiveOutput } from "./live-output.js";
import { createOutputExcerpt, lastBytes } from "./output-excerpt.js";

/** What a command prints, on its way to the person, the model and the disk. */
export interface CommandOutput {
  /** Takes a piece; `stop` where the command has printed too much. */
  write(chunk: Buffer): Promise<"stop" | undefined>;
  /** Ends it; gives its beginning and end, and says where the rest is. */
  finish(): Promise<string>;
}

/** Where output goes, and how much of it. */
export interface CommandOutputOptions {
  readonly file: OutputFile;
  readonly print: (liveContent: string) => void;
  /** What a live update costs beside its text. */
  readonly overheadBytes: number;
  /** Past this the command is stopped. */
  readonly mostBytes: number;
}

const headBytes = 8_000;
const tailBytes = 24_000;
const liveBytes = 4_000;

/** Opens the output of a command that begins now; `finish` closes it. */
export function openCommandOutput(options: CommandOutputOptions): CommandOutput {
  const { file, print, overheadBytes, mostBytes } = options;
  const stripper = createControlStripper();
  const excerpt = createOutputExcerpt({ headBytes, tailBytes });
  const live = openLiveOutput({ text: liveText, print, overheadBytes });

  function liveText(): string {
    const line = lastBytes(stripper.line, liveBytes);
    return excerpt.tail(liveBytes - Buffer.byteLength(line)) + line;
  }

  return {
    async write(chunk) {
      excerpt.append(stripper.write(chunk));
      live.changed();
      await file.write(chunk);
      return file.totalBytes > mostBytes ? "stop" : undefined;
    },
    async finish() {
      live.close();
      excerpt.append(stripper.end());
      await file.close({ isWanted: excerpt.isCut });
      return excerpt.toText(
        ({ bytes, lines }) => `[${bytes} bytes, ${lines} lines, left out here; ${placeOf(file)}]`,
      );
    },
  };
}

function placeOf({ path, failure }: OutputFile): string {
  return failure === undefined
    ? `the whole output is in ${path}: see parts of it with read_file or search_file_content`
    : "they could not be kept";
}
