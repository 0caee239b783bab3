import type { Part } from "@dt/schema";

/** One entry of the conversation with a model. */
export type HistoryItem =
  | { readonly role: "user"; readonly parts: readonly Part[] }
  | { readonly role: "model"; readonly parts: readonly ModelHistoryPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** A piece of a model's reply. `signature` is opaque data of the vendor, and is sent back unchanged. */
export type ModelHistoryPart =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "tool-request"; readonly request: ToolRequest };

/** A call that the model asks for. */
export interface ToolRequest {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signature?: string;
}

/** The outcome of a {@link ToolRequest}, as the model sees it. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
  /** An image of the result, for models that accept images; `bytes` is base64. */
  readonly image?: { readonly mediaType: string; readonly bytes: string };
}
