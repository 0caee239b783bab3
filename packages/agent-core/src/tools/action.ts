import type { ShellCover } from "../shell/cover/shell-cover.js";
import type { ShellPart } from "../shell/shell-part.js";
import type { WorkspacePath } from "../workspace/workspace.js";

/** What a call would do, as the permission policy judges it. A call may do several things. */
export type Action =
  /** Looks at a file or directory; `path` is absolute with every link resolved. */
  | {
      readonly type: "read";
      readonly path: string;
      readonly isInside: boolean;
      /** Set if it looks at everything below a directory too, at any depth. */
      readonly isDeep?: true;
    }
  /** Changes a file; `path` is absolute with every link resolved. */
  | {
      readonly type: "edit";
      readonly path: string;
      readonly isInside: boolean;
      /** Set if the agent, git, an editor or a shell obeys the file, as the workspace tells. */
      readonly isProtected?: true;
    }
  /** Runs a shell command. */
  | {
      readonly type: "execute";
      readonly command: string;
      /** Where it runs, absolute. */
      readonly directory: string;
      /** Every simple command in it; undefined where the command cannot be understood. */
      readonly parts: readonly ShellPart[] | undefined;
      /** What an "always" may cover, links resolved now; absent if it is asked about each time. */
      readonly cover?: ShellCover;
    }
  /** Asks the network for an address. */
  | { readonly type: "fetch"; readonly url: string }
  /** Calls a tool of an MCP server. */
  | { readonly type: "mcp"; readonly serverName: string; readonly toolName: string }
  /** Anything else, by a name that an "always" can cover. */
  | {
      readonly type: "other";
      readonly name: string;
      readonly target: string;
      /** Set if it changes what the agent, git, an editor or a shell obeys. */
      readonly isProtected?: true;
    };

/** A change of a file that was found in the workspace. */
export function editAction(file: Pick<WorkspacePath, "absolute" | "isInside" | "isProtected">) {
  const { absolute, isInside, isProtected } = file;
  return {
    type: "edit",
    path: absolute,
    isInside,
    ...(isProtected === true && { isProtected }),
  } as const satisfies Action;
}
