import { appendFile, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../errors/tool-error.js";
import { toFileError } from "../../workspace/file-error.js";
import { stripControl } from "../../workspace/text/strip-control.js";
import { findText } from "../../workspace/text-file.js";
import type { Tool } from "../tool.js";
import { buildMemoryAddition } from "./memory-addition.js";

/** Name of the tool, which `/memory add` calls too. */
export const SAVE_MEMORY_TOOL_NAME = "save_memory";

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: SAVE_MEMORY_TOOL_NAME,
  description:
    "Remembers a fact in all later sessions. Only for what the person asks to remember, or clear and lasting facts about them and how they work; not for what concerns this conversation alone.",
  isReadOnly: false,
  parameters: {
    type: "object",
    properties: {
      fact: {
        type: "string",
        minLength: 1,
        maxLength: 2000,
        description: "The fact, as one sentence that can be understood by itself.",
      },
    },
    required: ["fact"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/**
 * Creates the tool that remembers facts across sessions, in a file that the person can read and
 * edit.
 */
export function createSaveMemory(options: { readonly memoryFile: string }): Tool {
  const { memoryFile } = options;
  return {
    ...DECLARATION,

    async plan({ fact }) {
      const description = `Remember: ${oneLine(fact)}`;
      return {
        description,
        actions: [
          // The action is protected, because the agent reads this file in every later session.
          { type: "other", name: SAVE_MEMORY_TOOL_NAME, target: memoryFile, isProtected: true },
        ],
        details: {
          $case: "genericDetails",
          value: { description: `${description} (in ${memoryFile})` },
        },
      };
    },

    async run({ fact }) {
      await rememberIn(memoryFile, String(fact));
      return { result: { $case: "text", value: `remembered in ${memoryFile}: ${oneLine(fact)}` } };
    },
  };
}

/**
 * Adds a fact to a memory file and creates the file if necessary. It appends, so that simultaneous
 * sessions do not overwrite each other.
 */
export async function rememberIn(memoryFile: string, fact: string): Promise<void> {
  try {
    await mkdir(path.dirname(memoryFile), { recursive: true });
    // The file may be a link, for example into a directory of dotfiles.
    const absolute = await realpath(memoryFile).catch(() => memoryFile);
    const before = await findText({ absolute, display: memoryFile, isInside: false });
    if (before?.encoding.startsWith("utf-16")) {
      throw new ToolError("not_text", `${memoryFile} is UTF-16; store it as UTF-8 first`);
    }
    await appendFile(absolute, buildMemoryAddition(before?.text ?? "", oneLine(fact)), {
      mode: 0o600,
    });
  } catch (error) {
    throw toFileError(error, memoryFile);
  }
}

/** Joins the lines of a fact, so that it stays one list item. */
function oneLine(fact: unknown): string {
  return stripControl(String(fact)).replace(/\s+/g, " ").trim();
}
