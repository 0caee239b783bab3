import type { AgentThought, Citation, FilePart, Usage } from "@dt/schema";

/**
 * A piece of a model's reply, as it streams. A text part may be empty and have only a signature, which is
 * stored in the history and not shown.
 */
export type ModelPart =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "thought"; readonly thought: AgentThought }
  | {
      readonly type: "tool-request";
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Reason why the input could not be parsed. Then `input` is empty, and the call fails. */
      readonly inputError?: string;
      readonly signature?: string;
    }
  | { readonly type: "citation"; readonly citation: Citation }
  /** A file that the model made, such as an image. The model's history contains only a note about it. */
  | { readonly type: "file"; readonly file: FilePart }
  /** Tokens of this reply so far. The last usage of a reply replaces the earlier ones. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** A message that is shown to the person at once, such as the announcement of a retry. */
  | { readonly type: "notice"; readonly text: string };
