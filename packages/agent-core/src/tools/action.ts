import type { ShellCover } from "../shell/cover/shell-cover.js";
import type { ShellPart } from "../shell/shell-part.js";
import type { Isolation } from "../workspace/processes/sandbox.js";
import type { WorkspacePath } from "../workspace/workspace.js";

/**
 * One thing that a call would do, as the permission policy judges it. A call may have several
 * actions.
 */
export type Action =
  /** Reads a file or directory; `path` is absolute with every link resolved. */
  | {
      readonly type: "read";
      readonly path: string;
      readonly isInside: boolean;
      /** Set if the action also reads everything below the directory, at any depth. */
      readonly isDeep?: true;
    }
  /** Changes a file; `path` is absolute with every link resolved. */
  | {
      readonly type: "edit";
      readonly path: string;
      readonly isInside: boolean;
      /** Set if the file controls the agent, git, an editor or a shell, or holds credentials. */
      readonly isProtected?: true;
    }
  /** Runs a shell command. */
  | {
      readonly type: "execute";
      readonly command: string;
      /** Absolute working directory. */
      readonly directory: string;
      /** Every simple command in `command`; undefined if `command` cannot be parsed. */
      readonly parts: readonly ShellPart[] | undefined;
      /**
       * The commands that the answer "always" may allow, given the current targets of links. Absent if every
       * use must ask.
       */
      readonly cover?: ShellCover;
      /** Isolation of the sandbox in which the command runs. Absent if the command runs in no sandbox. */
      readonly isolation?: Isolation;
    }
  /** Requests a URL. */
  | { readonly type: "fetch"; readonly url: string }
  /** Calls a tool of an MCP server. */
  | { readonly type: "mcp"; readonly serverName: string; readonly toolName: string }
  /** Any other action. The answer "always" allows all later actions with the same name. */
  | {
      readonly type: "other";
      readonly name: string;
      readonly target: string;
      /** Set if the action changes something that controls the agent, git, an editor or a shell. */
      readonly isProtected?: true;
    };

/** Builds the action for a change of a file. */
export function editAction(file: Pick<WorkspacePath, "absolute" | "isInside" | "isProtected">) {
  const { absolute, isInside, isProtected } = file;
  return {
    type: "edit",
    path: absolute,
    isInside,
    ...(isProtected === true && { isProtected }),
  } as const satisfies Action;
}
