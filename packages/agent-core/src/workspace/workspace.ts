import { realpath } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import { followLinks } from "./follow-links.js";

/** A place in the file system, seen from a workspace. */
export interface WorkspacePath {
  /** The absolute path with every link resolved. */
  readonly absolute: string;
  /** The path to show: relative inside the workspace, absolute outside. */
  readonly display: string;
  /** Whether it lies inside the workspace, and every link that leads to it does too. */
  readonly isInside: boolean;
}

/** The directory that the agent works in, and a boundary. */
export interface Workspace {
  readonly root: string;
  /**
   * Resolves a path, relative to the root, through every link. It does not tell whether anything is
   * there: a path that cannot be resolved is one whose last parts stay as they are written.
   */
  resolve(file: string): Promise<WorkspacePath>;
}

/** Opens a workspace on an existing directory. */
export async function openWorkspace(directory: string): Promise<Workspace> {
  const root = await realpath(directory);
  const alias = path.resolve(directory);
  return {
    root,
    async resolve(file) {
      if (file.includes("\0")) throw new ToolError("invalid_input", "a path has no NUL in it");
      const { absolute, staysBelow } = await followLinks(path.resolve(root, file), { root, alias });
      const display = staysBelow ? path.relative(root, absolute) || "." : absolute;
      return { absolute, isInside: staysBelow, display };
    },
  };
}
