import type { ConfirmationRequest, ToolCallStep, ToolOutput } from "@dt/schema";
import type { ToolDeclaration } from "../model/model.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Action } from "./action.js";

/** The details of a confirmation request. */
export type ConfirmationDetails = ConfirmationRequest["details"];

/** What a question shows. */
export interface Preview {
  /** One line for the person. */
  readonly description: string;
  readonly details: ConfirmationDetails;
}

/** What a call would do. The policy decides from its actions before anything is looked at. */
export interface Plan extends Preview {
  readonly actions: readonly Action[];
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
  /**
   * Asks about something inside this call, such as a step of another agent. The question is a tool call of
   * its own that names this one as its parent. Throws if the turn is cancelled meanwhile.
   */
  ask(question: NestedQuestion): Promise<NestedAnswer>;
}

/** A question inside a running call. */
export interface NestedQuestion {
  readonly toolName: string;
  readonly input: ToolInput;
  /** Says in one line what would be done. */
  readonly description: string;
  readonly details: ConfirmationDetails;
  /**
   * What would be done, for the policy: it may allow or refuse without asking. Without it the person is
   * always asked, and the answer counts once.
   */
  readonly actions?: readonly Action[];
}

/** The answer to a question inside a running call. */
export type NestedAnswer =
  | {
      readonly isGranted: true;
      /** Reports how the permitted step ended. Without a report it ends with its parent. */
      finish(step: NestedEnd): Promise<void>;
    }
  | {
      readonly isGranted: false;
      /** The reason of the person, or of the policy. */
      readonly reason?: string;
    };

/** The end of a permitted step. */
export type NestedEnd = Extract<ToolCallStep, { readonly type: "succeed" | "fail" }>;

/** A checked input. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** Something that the agent can do. */
export interface Tool extends ToolDeclaration {
  /** Whether only commands and the agent itself use it: the model is not told of it. */
  readonly isInternal?: boolean;
  /** Whether it only looks: such calls of one step run side by side, others in order. */
  readonly isReadOnly: boolean;
  /**
   * Says what a call would do, from its input and from where its paths lead alone. It reads nothing and
   * does not tell whether anything is there; throws {@link ToolError} for faults of the input only.
   */
  plan(input: ToolInput, workspace: Workspace): Promise<Plan>;
  /**
   * Looks at the files of a planned call, to show what it would do or to find that it cannot. Used only
   * if they may be read unasked; throws {@link ToolError} if the call cannot be done.
   */
  preview?(input: ToolInput, look: Pick<ToolRun, "workspace" | "planned">): Promise<Preview>;
  /** Does it; throws {@link ToolError} where it fails. */
  run(input: ToolInput, run: ToolRun): Promise<ToolOutput>;
  /** The input after the person edited the content that they were shown, for tools that allow it. */
  revise?(input: ToolInput, newContent: string): ToolInput;
}
