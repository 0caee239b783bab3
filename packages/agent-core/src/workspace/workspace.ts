import { realpath } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import { followLinks, isBelow } from "./follow-links.js";
import { hasProtectedName, isBelowInAnyCase } from "./protected-paths.js";

/** A place in the file system, seen from a workspace. */
export interface WorkspacePath {
  /** The absolute path with every link resolved. */
  readonly absolute: string;
  /** The path to show: relative inside the workspace, absolute outside. */
  readonly display: string;
  /** Whether it lies inside the workspace, and every link that leads to it does too. */
  readonly isInside: boolean;
  /** Set if the agent, git, an editor or a shell obeys it; then each change of it is asked about. */
  readonly isProtected?: true;
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

/** What {@link openWorkspace} may be told. */
export interface WorkspaceOptions {
  /** Directories of the agent itself, such as its data and its configuration. */
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
  const named = agentDirectories.map((each) => path.resolve(each));
  const resolved = await Promise.all(named.map(async (each) => (await follow(each)).absolute));
  // A workspace may lie in such a directory itself. Then the rest of that directory is outside.
  const own = [...named, ...resolved].filter((each) => !isBelowInAnyCase(each, root));

  // A workspace may lie below a protected name, so only the rest of the path counts inside.
  function isProtected(absolute: string): boolean {
    const told = isBelow(root, absolute) ? path.relative(root, absolute) : absolute;
    return hasProtectedName(told) || own.some((each) => isBelowInAnyCase(each, absolute));
  }

  return {
    root,
    async resolve(file) {
      if (file.includes("\0")) throw new ToolError("invalid_input", "a path has no NUL in it");
      const name = path.resolve(root, file);
      const { absolute, staysBelow } = await follow(name);
      return {
        absolute,
        isInside: staysBelow,
        display: staysBelow ? path.relative(root, absolute) || "." : absolute,
        // Both count: a protected name may be a link to elsewhere, and a link may lead to one.
        ...((isProtected(name) || isProtected(absolute)) && { isProtected: true }),
      };
    },
  };
}
