import type { ToolKind } from "@agentclientprotocol/sdk";

/** Kinds of the built-in tools. Editors choose an icon by the kind. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  list_directory: "search",
  glob: "search",
  search_file_content: "search",
  write_file: "edit",
  replace: "edit",
  save_memory: "edit",
  run_shell_command: "execute",
  web_fetch: "fetch",
  google_web_search: "fetch",
  write_todos: "think",
  // If a call of an external agent has no tool name, it gets the name of its kind.
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "execute",
  think: "think",
  fetch: "fetch",
};

/** Returns the kind of a tool; `other` for an unknown tool, such as one of an MCP server. */
export function toolKindOf(toolName: string): ToolKind {
  return Object.hasOwn(KINDS, toolName) ? (KINDS[toolName] ?? "other") : "other";
}
