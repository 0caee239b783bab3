import type { Part } from "@dt/schema";

/** One entry of the conversation that a model is shown. */
export type HistoryItem =
  | { readonly role: "user"; readonly parts: readonly Part[] }
  | { readonly role: "model"; readonly parts: readonly ModelSaid[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** A piece of what a model said. `signature` is the vendor's, kept and sent back unread. */
export type ModelSaid =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "tool-request"; readonly request: ToolRequest };

/** A tool that the model wants to use. */
export interface ToolRequest {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signature?: string;
}

/** What became of a request, as the model is told. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
  /** An image that the call gave, for models that see images; `bytes` is base64. */
  readonly image?: { readonly mediaType: string; readonly bytes: string };
}
