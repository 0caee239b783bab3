import type { FileHandle } from "node:fs/promises";
import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../../errors/tool-error.js";
import { findEditorText } from "../../workspace/editor-text.js";
import { openRegularFile } from "../../workspace/open-regular-file.js";
import { detectEncoding } from "../../workspace/text/text-encoding.js";
import type { WorkspacePath } from "../../workspace/workspace.js";
import { checkPlanned } from "../check-planned.js";
import type { Preview, Tool } from "../tool.js";
import { findImageType } from "./image-type.js";
import { type Page, pageOf, readPage } from "./read-page.js";

/** Options of {@link createReadFile}. */
export interface ReadFileOptions {
  /**
   * Returns true if a file contains the output of this session's own commands, so that reading it needs no question.
   */
  readonly isOwnOutput?: (absolute: string) => boolean;
}

const MAX_LINES = 2_000;
const MAX_BYTES = 64_000;
const MAX_IMAGE_BYTES = 5_000_000;

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: "read_file",
  description: [
    `Reads a text file, or an image (PNG, JPEG, GIF, WebP). At most ${MAX_LINES} lines and ${MAX_BYTES} bytes of a text are returned at once; the end of the result says what was left out and the offset to continue from.`,
    "Lines are returned as they are, without line numbers; lines longer than 2000 characters are cut.",
  ].join(" "),
  isReadOnly: true,
  parameters: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        minLength: 1,
        description: "The file, absolute or relative to the workspace.",
      },
      offset: {
        type: "integer",
        minimum: 1,
        description: "The first line to read, counted from 1. Default 1.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: `Number of lines to read. Default and maximum: ${MAX_LINES}.`,
      },
    },
    required: ["file_path"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Creates the tool that reads files. */
export function createReadFile({ isOwnOutput = () => false }: ReadFileOptions = {}): Tool {
  return {
    ...DECLARATION,

    async plan({ file_path }, workspace) {
      const file = await workspace.resolve(String(file_path));
      const isInside = file.isInside || isOwnOutput(file.absolute);
      const actions = [{ type: "read", path: file.absolute, isInside }] as const;
      return { ...describeRead(file), actions };
    },

    async preview({ file_path }, context) {
      const file = await context.workspace.resolve(String(file_path));
      checkPlanned("read", file, context);
      await (await openRegularFile(file)).close();
      return describeRead(file);
    },

    async run({ file_path, offset = 1, limit = MAX_LINES }, run) {
      const file = await run.workspace.resolve(String(file_path));
      checkPlanned("read", file, run);
      const handle = await openRegularFile(file);
      try {
        const image = await findImage(handle, file);
        if (image !== undefined) return image;
        const lines = { offset: Number(offset), limit: Math.min(Number(limit), MAX_LINES) };
        const options = { ...lines, maxBytes: MAX_BYTES, signal: run.signal };
        const unsaved = await findEditorText(file, run.workspace, run.signal);
        const page = await (unsaved === undefined
          ? readPage(handle, options)
          : pageOf(unsaved, options));
        return { result: { $case: "text", value: describePage(page, lines.offset, file) } };
      } finally {
        await handle.close();
      }
    },
  };
}

function describeRead({ absolute, display }: WorkspacePath): Preview {
  return {
    description: `Read ${display}`,
    details: { $case: "genericDetails", value: { description: `Read ${absolute}` } },
  };
}

/** Returns the image in a file; undefined if the file is text. Throws for other files. */
async function findImage(
  handle: FileHandle,
  { absolute, display }: WorkspacePath,
): Promise<ToolOutput | undefined> {
  const buffer = Buffer.alloc(8192);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const start = buffer.subarray(0, bytesRead);
  const mediaType = findImageType(start);
  if (mediaType === undefined) {
    if (!start.includes(0) || detectEncoding(start).encoding.startsWith("utf-16")) return undefined;
    const hint = "use run_shell_command with a program for its format";
    throw new ToolError("not_text", `${display} is neither text nor an image; ${hint}`);
  }
  const { size } = await handle.stat();
  if (size > MAX_IMAGE_BYTES) {
    const fault = `${display} is an image of ${size} bytes; at most ${MAX_IMAGE_BYTES} can be shown`;
    throw new ToolError("too_large", `${fault}; make the image smaller first`);
  }
  const bytes = Buffer.alloc(size);
  await handle.read(bytes, 0, size, 0);
  const image = { type: "image", media_type: mediaType, bytes_base64: bytes.toString("base64") };
  return { result: { $case: "structuredData", value: { ...image, path: absolute } } };
}

function describePage(page: Page, offset: number, { display }: WorkspacePath): string {
  const { lines, nextLine, totalLines } = page;
  const total = totalLines === undefined ? "many" : String(totalLines);
  if (lines.length === 0) {
    return offset === 1 ? "(the file is empty)" : `(${display} has only ${total} lines)`;
  }
  const text = lines.join("\n");
  if (offset === 1 && nextLine === undefined) return page.endsWithNewline ? `${text}\n` : text;
  const range = `lines ${offset} to ${offset + lines.length - 1} of ${total}`;
  const rest = nextLine === undefined ? "" : `; continue with offset ${nextLine}`;
  return `${text}\n[${range}${rest}]`;
}
