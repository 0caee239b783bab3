import type { Role } from "../agent/caller.js";
import type { PermissionMode } from "../agent/permission-mode.js";

/** Which MCP servers of one source may be used: all, only those at an address, or none. */
export type McpServerRule = "all" | "addresses" | "none";

/** The place where an MCP server is configured: the settings of a client, of a workspace, or of the host. */
export type McpServerSource = "clients" | "workspaces" | "host";

/** Limits on sharing sessions with other people. An absent field limits nothing. */
export interface SharingPolicy {
  /** False if no session may be shared with a user. */
  readonly users?: boolean;
  /** False if no session may be shared by a link. */
  readonly links?: boolean;
  /** The highest role that a share may give. */
  readonly maxRole?: Exclude<Role, "admin">;
  /** Maximum lifetime of a share, in days. */
  readonly maxDays?: number;
}

/**
 * The limits that an operator sets on every session of a server. No user, client, settings file or command
 * can loosen them. An absent field limits nothing.
 */
export interface ServerPolicy {
  /** The freest permission mode that is allowed. If somebody chooses a freer mode, this mode applies. */
  readonly maxMode?: PermissionMode;
  /** The only tools that may be used. */
  readonly allowedTools?: readonly string[];
  /** Tools that may not be used. */
  readonly excludedTools?: readonly string[];
  /** The only models that may be used, by name. A name that ends with `*` allows all names with this beginning. */
  readonly models?: readonly string[];
  readonly mcpServers?: Readonly<Partial<Record<McpServerSource, McpServerRule>>>;
  /** Directories under which workspaces must be. */
  readonly workspaceRoots?: readonly string[];
  readonly sharing?: SharingPolicy;
}
