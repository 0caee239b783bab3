import type { ExternalCall } from "@dt/schema";

const EDIT_TOOL = "write_file";

/** The built-in tool that does the same as a kind of call. */
const BUILTIN_OF_KIND: Readonly<Record<string, string>> = {
  read: "read_file",
  search: "search_file_content",
  edit: EDIT_TOOL,
  delete: EDIT_TOOL,
  move: EDIT_TOOL,
  execute: "run_shell_command",
  fetch: "web_fetch",
};

/**
 * Returns the names by which a policy allows or forbids a call of an external agent. All of them must be allowed. A call
 * of a known kind gets the name of dt's tool of that kind, because the agent may give its own tools any name. A call
 * that shows a diff also changes files, whatever its kind.
 */
export function policyNamesOf({
  kind = "other",
  toolName,
  diffs = [],
}: ExternalCall): readonly string[] {
  const edits = diffs.length > 0 ? [EDIT_TOOL] : [];
  return [...new Set([BUILTIN_OF_KIND[kind] ?? toolName ?? kind, ...edits])];
}
