import type { ExternalCall } from "@dt/schema";

/** The built-in tool that does the same as a kind of call. */
const BUILTIN_OF_KIND: Readonly<Record<string, string>> = {
  read: "read_file",
  search: "search_file_content",
  edit: "write_file",
  delete: "write_file",
  move: "write_file",
  execute: "run_shell_command",
  fetch: "web_fetch",
};

/**
 * Returns the name by which a policy allows or forbids a call of an external agent. A call of a known kind gets the
 * name of dt's tool of that kind, because the agent may give its own tools any name.
 */
export function policyNameOf({ kind = "other", toolName, diffs = [] }: ExternalCall): string {
  if (diffs.length > 0) return "write_file";
  return BUILTIN_OF_KIND[kind] ?? toolName ?? kind;
}
