import type { ShellPart } from "../shell/shell-part.js";

/** What a call would do, as the permission policy judges it. A call may do several things. */
export type Action =
  /** Looks at a file or directory; `path` is absolute with every link resolved. */
  | { readonly type: "read"; readonly path: string; readonly isInside: boolean }
  /** Changes a file; `path` is absolute with every link resolved. */
  | { readonly type: "edit"; readonly path: string; readonly isInside: boolean }
  /** Runs a shell command. */
  | {
      readonly type: "execute";
      readonly command: string;
      /** Where it runs, absolute. */
      readonly directory: string;
      /** Every simple command in it; undefined where the command cannot be understood. */
      readonly parts: readonly ShellPart[] | undefined;
    }
  /** Asks the network for an address. */
  | { readonly type: "fetch"; readonly url: string }
  /** Calls a tool of an MCP server. */
  | { readonly type: "mcp"; readonly serverName: string; readonly toolName: string }
  /** Anything else, by a name that an "always" can cover. */
  | { readonly type: "other"; readonly name: string; readonly target: string };
