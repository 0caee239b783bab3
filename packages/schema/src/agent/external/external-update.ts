import type { Part } from "../../event/part.js";
import type { Cost, Todo } from "../../gen/dt_session/event.js";

/**
 * An update that an external agent sends about its work. Plain data. Updates keep the order in which the
 * agent sent them.
 */
export type ExternalUpdate =
  | { readonly type: "text"; readonly text: string; readonly attachments?: readonly Part[] }
  /** A piece of the agent's reasoning, to be appended to the piece before. */
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "call"; readonly call: ExternalCall }
  | { readonly type: "todos"; readonly todos: readonly Todo[] }
  | { readonly type: "usage"; readonly usage: ExternalUsage }
  /** The agent's models, modes or commands have changed; {@link ExternalSession.offer} returns them. */
  | { readonly type: "offer"; readonly notice?: string }
  /** A problem, or a remark of the agent that is part of no other update. */
  | { readonly type: "notice"; readonly level: "info" | "warn" | "error"; readonly text: string };

/** The context that an external agent has filled, and the cost of its session so far. */
export interface ExternalUsage {
  readonly contextTokens: number;
  readonly contextLimit: number;
  readonly cost?: Cost;
}

/** The kinds of tool calls of external agents, as the Agent Client Protocol names them. */
export const EXTERNAL_CALL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

/** One of {@link EXTERNAL_CALL_KINDS}. */
export type ExternalCallKind = (typeof EXTERNAL_CALL_KINDS)[number];

/**
 * A tool call of an external agent, or a change of a tool call. In a change, absent fields have not
 * changed.
 */
export interface ExternalCall {
  /** Id that the agent gave the call. */
  readonly id: string;
  /** One line that describes the call. */
  readonly title?: string;
  /** Name of the agent's tool, if the agent names it. */
  readonly toolName?: string;
  readonly kind?: ExternalCallKind;
  readonly status?: "pending" | "in_progress" | "completed" | "failed";
  readonly input?: Readonly<Record<string, unknown>>;
  /** Text of the call's output so far, or of its result. */
  readonly text?: string;
  readonly diffs?: readonly ExternalDiff[];
  /** Files that the call reads or changes, as the agent names them. */
  readonly paths?: readonly string[];
}

/** A change of a file, as an external agent shows it. */
export interface ExternalDiff {
  readonly path: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
}
