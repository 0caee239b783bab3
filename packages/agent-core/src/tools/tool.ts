import type { ConfirmationRequest, ToolOutput } from "@dt/schema";
import type { ToolDeclaration } from "../model/model.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Action } from "./action.js";

/** The details of a confirmation request. */
export type ConfirmationDetails = ConfirmationRequest["details"];

/** What a call would do, found out before anyone is asked. */
export interface Plan {
  /** One line for the person. */
  readonly description: string;
  readonly actions: readonly Action[];
  /** What the question shows, if one is asked. */
  readonly details: ConfirmationDetails;
}

/** A call that was permitted, and what its tool may use. */
export interface ToolRun {
  readonly toolCallId: string;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** What the person saw when they approved; undefined where nobody was asked. */
  readonly shown: ConfirmationDetails;
  /**
   * What was permitted. A tool does nothing else, whatever links were made since it was planned.
   * Undefined where the plan is lost; then nothing counts as permitted.
   */
  readonly planned?: readonly Action[] | undefined;
  /** The mark that every process of this call must carry, so that it is found after a restart. */
  readonly mark?: string | undefined;
  /** Replaces the live output. */
  print(liveContent: string): void;
}

/** A checked input. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** Something that the agent can do. */
export interface Tool extends ToolDeclaration {
  /** Whether only commands and the agent itself use it: the model is not told of it. */
  readonly isInternal?: boolean;
  /** Whether it only looks: such calls of one step run side by side, others in order. */
  readonly isReadOnly: boolean;
  /** Looks at what a call would do; throws {@link ToolError} where it cannot be done. */
  plan(input: ToolInput, workspace: Workspace): Promise<Plan>;
  /** Does it; throws {@link ToolError} where it fails. */
  run(input: ToolInput, run: ToolRun): Promise<ToolOutput>;
  /** The input after the person edited the content that they were shown, for tools that allow it. */
  revise?(input: ToolInput, newContent: string): ToolInput;
}
