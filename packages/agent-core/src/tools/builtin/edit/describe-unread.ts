import path from "node:path";
import type { WorkspacePath } from "../../../workspace/workspace.js";
import type { ConfirmationDetails } from "../../tool.js";

const NOTE = "the file is not read until this edit is allowed";

/**
 * Builds the question about writing a file that must not be read yet. It shows the complete new
 * content. Pure.
 */
export function describeUnreadWrite(file: WorkspacePath, newContent: string): ConfirmationDetails {
  const lines = signed("+", newContent);
  const count = lines.filter((line) => line.startsWith("+")).length;
  const hunk = `@@ -0,0 +${count === 0 ? 0 : 1},${count} @@ ${NOTE}`;
  return {
    $case: "fileEditDetails",
    value: {
      fileName: path.basename(file.absolute),
      filePath: file.absolute,
      newContent,
      formattedDiff: toText([`--- ${file.display}`, `+++ ${file.display}`, hunk, ...lines]),
    },
  };
}

/** The replacement that the question shows. */
export interface UnreadReplacement {
  readonly oldString: string;
  readonly newString: string;
  readonly expected: number;
}

/**
 * Builds the question about replacing text in a file that must not be read yet. It shows the old and the new
 * text. Pure.
 */
export function describeUnreadReplacement(
  file: WorkspacePath,
  { oldString, newString, expected }: UnreadReplacement,
): ConfirmationDetails {
  const times = expected === 1 ? "once" : `${expected} times`;
  const title =
    oldString === ""
      ? `Create ${file.absolute}, if it does not exist, with this text`
      : `Replace this text, which must occur ${times}, in ${file.absolute}`;
  const description = toText([
    `${title} (${NOTE}):`,
    ...signed("-", oldString),
    ...signed("+", newString),
  ]);
  return { $case: "genericDetails", value: { description } };
}

function signed(sign: "-" | "+", text: string): readonly string[] {
  if (text === "") return [];
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`);
  return text.endsWith("\n") ? lines : [...lines, "\\ No newline at end of file"];
}

function toText(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
