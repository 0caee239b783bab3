import type { AgentThought, Citation, Usage } from "@dt/schema";

/**
 * A piece of a model's answer, as it streams. A text may be empty where it only carries a
 * signature: it belongs into the history, not on the screen.
 */
export type ModelPart =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "thought"; readonly thought: AgentThought }
  | {
      readonly type: "tool-request";
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Why the input that the model wrote cannot be read; `input` is then empty, the call fails. */
      readonly inputError?: string;
      readonly signature?: string;
    }
  | { readonly type: "citation"; readonly citation: Citation }
  /** Tokens of this answer so far: the last of an answer counts. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Something the person should know at once, such as a retry. */
  | { readonly type: "notice"; readonly text: string };
