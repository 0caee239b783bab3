import { stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../errors/tool-error.js";
import type { ShellContext, ShellCover } from "../../../shell/cover/shell-cover.js";
import { toFileError } from "../../../workspace/file-error.js";
import { checkIsolation, type Isolation } from "../../../workspace/processes/sandbox.js";
import type { WorkspacePath } from "../../../workspace/workspace.js";
import { getPlanned } from "../../check-planned.js";
import type { ToolRun } from "../../tool.js";

/**
 * Returns the cover of a command, which depends on the current targets of links.
 */
export type FindCover = (
  command: string,
  context: Pick<ShellContext, "directory" | "workspace" | "parts">,
) => Promise<ShellCover | undefined>;

/** Throws if the directory of a command does not exist or is not a directory. */
export async function checkDirectory({ absolute, display }: WorkspacePath): Promise<void> {
  const stats = await stat(absolute).catch((error) => {
    throw toFileError(error, display);
  });
  if (stats.isDirectory()) return;
  throw new ToolError("not_a_directory", `${display} is not a directory`);
}

/**
 * Throws if the directory of a command is not the planned directory, or not the directory that the question
 * showed. Also throws if the command was approved for a stricter sandbox.
 */
export function checkApproved(
  { absolute }: WorkspacePath,
  run: ToolRun,
  isolation: Isolation | undefined,
): void {
  const { shown } = run;
  const seen = shown?.$case === "executeDetails" ? shown.value.workingDirectory : absolute;
  const planned = getPlanned(run).find(
    (action) => action.type === "execute" && action.directory === absolute,
  );
  if (seen === absolute && planned?.type === "execute") {
    checkIsolation(planned.isolation, isolation);
    return;
  }
  throw new ToolError(
    "file_changed",
    "the directory now leads through a link to a path that nobody permitted, so nothing was run",
  );
}

/**
 * Throws if the cover of a command has changed since the command was planned. Checks only calls that
 * run without a question, because the cover of an earlier "always" may have allowed them.
 */
export async function checkCovered(run: ToolRun, findCover: FindCover): Promise<void> {
  if (run.shown !== undefined) return;
  for (const action of getPlanned(run)) {
    if (action.type !== "execute" || action.cover === undefined) continue;
    const cover = await findCover(action.command, { ...action, workspace: run.workspace });
    if (isDeepStrictEqual(cover, action.cover)) continue;
    throw new ToolError(
      "file_changed",
      "a path in the command now leads elsewhere through a link, so nothing was run; try again",
    );
  }
}
