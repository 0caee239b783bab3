import { realpath } from "node:fs/promises";
import path from "node:path";
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
   * Set if the file controls the agent, git, an editor or a shell; each change of it needs a
   * question.
   */
  readonly isProtected?: true;
}

/** The directory that the agent works in. It is a boundary for tools. */
export interface Workspace {
  readonly root: string;
  /**
   * Resolves a path, relative to the root, through every link. It does not reveal whether the file
   * exists, because parts that cannot be resolved stay as written.
   */
  resolve(file: string): Promise<WorkspacePath>;
}

/** Options of {@link openWorkspace}. */
export interface WorkspaceOptions {
  /**
   * Directories of the agent itself, such as its data and its configuration; they are protected.
   */
  readonly agentDirectories?: readonly string[];
}

/** Opens a workspace on an existing directory. */
export async function openWorkspace(
  directory: string,
  { agentDirectories = [] }: WorkspaceOptions = {},
): Promise<Workspace> {
  const root = await realpath(directory);
  const alias = path.resolve(directory);
  const follow = (file: string) => followLinks(file, { root, alias });
  // The directories are resolved at the first use, because many sessions use no file.
  let protectedDirectories: Promise<readonly string[]> | undefined;

  async function findProtected(): Promise<readonly string[]> {
    const named = agentDirectories.map((each) => path.resolve(each));
    const resolved = await Promise.all(named.map(async (each) => (await follow(each)).absolute));
    // A directory that contains the workspace is left out, because it would protect the whole
    // workspace.
    return [...named, ...resolved].filter((each) => !isBelowInAnyCase(each, root));
  }

  async function isProtected(absolute: string): Promise<boolean> {
    protectedDirectories ??= findProtected();
    const directories = await protectedDirectories;
    // A workspace may lie below a protected name, so only the relative path of a file inside it is checked.
    const relative = isBelow(root, absolute) ? path.relative(root, absolute) : absolute;
    return (
      hasProtectedName(relative) || directories.some((each) => isBelowInAnyCase(each, absolute))
    );
  }

  return {
    root,
    async resolve(file) {
      if (file.includes("\0")) throw new ToolError("invalid_input", "a path must not contain NUL");
      const name = path.resolve(root, file);
      const { absolute, staysBelow } = await follow(name);
      return {
        absolute,
        isInside: staysBelow,
        display: staysBelow ? path.relative(root, absolute) || "." : absolute,
        // Both paths are checked, because a protected name may be a link to elsewhere, and a link
        // may lead to a protected name.
        ...(((await isProtected(name)) || (await isProtected(absolute))) && { isProtected: true }),
      };
    },
  };
}
