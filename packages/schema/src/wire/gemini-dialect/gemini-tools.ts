import type { JsonObject } from "../../validation/message-json.js";

/** Properties of a tool that gemini-cli's clients show. */
interface GeminiTool {
  readonly displayName: string;
  readonly kind: "edit" | "execute" | "fetch" | "read" | "search" | "think" | "other";
  /** True if the tool prints while it runs. */
  readonly canUpdateOutput?: boolean;
  /** False if the output is not Markdown. */
  readonly isOutputMarkdown?: boolean;
}

/** Our tools, by name. They have the names of gemini-cli's tools. */
const TOOLS: Readonly<Record<string, GeminiTool>> = {
  glob: { displayName: "FindFiles", kind: "search" },
  list_directory: { displayName: "ReadFolder", kind: "search" },
  read_file: { displayName: "ReadFile", kind: "read" },
  replace: { displayName: "Edit", kind: "edit" },
  run_shell_command: {
    displayName: "Shell",
    kind: "execute",
    canUpdateOutput: true,
    isOutputMarkdown: false,
  },
  save_memory: { displayName: "SaveMemory", kind: "think" },
  search_file_content: { displayName: "SearchText", kind: "search" },
  web_fetch: { displayName: "WebFetch", kind: "fetch" },
  write_file: { displayName: "WriteFile", kind: "edit" },
};

/**
 * Schema that is sent for every tool, because an event does not contain the schema of its tool.
 * Some clients fail if the schema is missing.
 */
const ANY_PARAMETERS = { type: "object" } as const;

/** Returns the name to show for one of our tools. Returns the name of any other tool unchanged. */
export function displayNameOf(toolName: string): string {
  return TOOLS[toolName]?.displayName ?? toolName;
}

/** Encodes the `tool` of a call. */
export function encodeGeminiTool(name: string, description: string): JsonObject {
  const tool = TOOLS[name];
  return {
    name,
    displayName: displayNameOf(name),
    description,
    kind: tool?.kind ?? "other",
    isOutputMarkdown: tool?.isOutputMarkdown ?? true,
    canUpdateOutput: tool?.canUpdateOutput ?? false,
    schema: { name, description, parametersJsonSchema: ANY_PARAMETERS },
    parameterSchema: ANY_PARAMETERS,
  };
}
