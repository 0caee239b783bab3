import { realpath } from "node:fs/promises";
import path from "node:path";
import type { EditorFiles } from "@dt/schema";
import { ToolError } from "../errors/tool-error.js";
import { followLinks, isBelow } from "./follow-links.js";
import { hasProtectedName, isBelowInAnyCase } from "./protected-paths.js";

/** A path and its relation to a workspace. */
export interface WorkspacePath {
  /** Absolute path with every link resolved. */
  readonly absolute: string;
  /** The path to show: relative inside the workspace, absolute outside. */
  readonly display: string;
  /** True if the path lies inside the workspace and no link on the way leads outside. */
  readonly isInside: boolean;
  /**
   * Set if the file controls the agent, git, an editor or a shell, or holds credentials. Every change of such
   * a file needs a question.
   */
  readonly isProtected?: true;
}

/** The directory that the agent works in. It is a boundary for tools. */
export interface Workspace {
  readonly root: string;
  /** Files of the editor that drives the session; absent if there is none. */
  readonly editorFiles?: EditorFiles;
  /**
   * Resolves every link of a path; a relative path starts at the root. The result does not reveal
   * whether the file exists, because parts that cannot be resolved stay as they were written.
   */
  resolve(file: string): Promise<WorkspacePath>;
}

/** Options of {@link openWorkspace}. */
export interface WorkspaceOptions {
  /**
   * Directories of the agent itself, such as its data and its configuration; they are protected.
   */
  readonly agentDirectories?: readonly string[];
  readonly editorFiles?: EditorFiles;
}

/** Opens a workspace on an existing directory. */
export async function openWorkspace(
  directory: string,
  { agentDirectories = [], editorFiles }: WorkspaceOptions = {},
): Promise<Workspace> {
  const root = await realpath(directory);
  const alias = path.resolve(directory);
  const follow = (file: string) => followLinks(file, { root, alias });
  // The agent's directories are resolved at the first use, because many sessions use no file.
  let protectedDirectories: Promise<readonly string[]> | undefined;

  async function findProtected(): Promise<readonly string[]> {
    const named = agentDirectories.map((each) => path.resolve(each));
    const resolved = await Promise.all(named.map(async (each) => (await follow(each)).absolute));
    // A directory that contains the workspace is left out. Otherwise the whole workspace would be
    // protected.
    return [...named, ...resolved].filter((each) => !isBelowInAnyCase(each, root));
  }

  async function isProtected(absolute: string): Promise<boolean> {
    protectedDirectories ??= findProtected();
    const directories = await protectedDirectories;
    // The workspace may lie below a protected name, so only the part of the path below the root is checked.
    const relative = isBelow(root, absolute) ? path.relative(root, absolute) : absolute;
    return (
      hasProtectedName(relative) || directories.some((each) => isBelowInAnyCase(each, absolute))
    );
  }

  return {
    root,
    ...(editorFiles !== undefined && { editorFiles }),
    async resolve(file) {
      if (file.includes("\0")) throw new ToolError("invalid_input", "a path must not contain NUL");
      const name = path.resolve(root, file);
      const { absolute, staysBelow } = await follow(name);
      return {
        absolute,
        isInside: staysBelow,
        display: staysBelow ? path.relative(root, absolute) || "." : absolute,
        // Both the given path and the resolved path are checked, because either of them may contain a
        // protected name.
        ...(((await isProtected(name)) || (await isProtected(absolute))) && { isProtected: true }),
      };
    },
  };
}
