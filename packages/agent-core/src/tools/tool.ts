import type { ConfirmationRequest, Todo, ToolCallStep, ToolOutput } from "@dt/schema";
import type { ToolDeclaration } from "../model/model.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { RunningAgentCalls } from "./agent-calls.js";

/** The details of a confirmation request. */
export type ConfirmationDetails = ConfirmationRequest["details"];

/** The fields of a plan that a question shows. */
export interface Preview {
  /** One line for the person. */
  readonly description: string;
  readonly details: ConfirmationDetails;
}

/** A planned call. The policy decides from its actions before any content is read. */
export interface Plan extends Preview {
  readonly actions: readonly Action[];
  /** A sentence that the question shows with the option to run the call once. */
  readonly note?: string;
}

/** A permitted call, with the functions that the tool may use while it runs. */
export interface ToolRun {
  readonly toolCallId: string;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** The details that the person saw when they approved; undefined if nobody was asked. */
  readonly shown: ConfirmationDetails;
  /**
   * The permitted actions. A tool must do nothing else, even if links have changed since the plan.
   * If the value is undefined, the plan is lost and nothing is permitted.
   */
  readonly planned?: readonly Action[] | undefined;
  /** The mark that every process of this call must inherit, so that a restart finds the process. */
  readonly mark?: string | undefined;
  /** Replaces the live output of this call. */
  print(liveContent: string): void;
  /** Replaces the todo list of the session when this call ends, if the call succeeds. */
  writeTodos(todos: readonly Todo[]): void;
  /**
   * Asks a question inside this call, for example about a step of another agent. The question is a
   * separate tool call whose parent is this call. Throws if the turn is cancelled or this call ends
   * before the answer.
   */
  ask(question: NestedQuestion): Promise<NestedAnswer>;
  readonly agentCalls: RunningAgentCalls;
}

/** A question inside a running call. */
export interface NestedQuestion {
  readonly toolName: string;
  readonly input: ToolInput;
  /** One line that describes the step. */
  readonly description: string;
  readonly details: ConfirmationDetails;
  /**
   * The actions of the step. The policy may allow or refuse them without a question. A step without
   * actions is judged as an unknown action, and its answer applies once.
   */
  readonly actions?: readonly Action[];
  /** Withdraws the question when it aborts; `ask` then rejects. */
  readonly signal?: AbortSignal;
}

/** The answer to a question inside a running call. */
export type NestedAnswer =
  | {
      readonly isGranted: true;
      /** The text that the person wrote instead of the proposed one; undefined without an edit. */
      readonly newContent?: string;
      /** Reports the end of the permitted step. Without a report, the step ends with the call that asked. */
      finish(step: NestedEnd): Promise<void>;
    }
  | {
      readonly isGranted: false;
      /** The reason that the person or the policy gave. */
      readonly reason?: string;
    };

/** The end of a permitted step. */
export type NestedEnd = Extract<ToolCallStep, { readonly type: "succeed" | "fail" }>;

/** An input that matches the tool's schema. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** Something that the agent can do. */
export interface Tool extends ToolDeclaration {
  /** True if only commands and the agent itself use the tool. The model does not see such a tool. */
  readonly isInternal?: boolean;
  /** True if the tool only reads. Read-only calls of one step run in parallel; other calls run in order. */
  readonly isReadOnly: boolean;
  /**
   * Plans a call from its input and the resolved paths alone. It reads no content and does not
   * reveal whether a file exists. Throws {@link ToolError} only if the input is wrong.
   */
  plan(input: ToolInput, workspace: Workspace): Promise<Plan>;
  /**
   * Reads the files of a planned call to show its effect. Called only if those files may be read
   * without a question. Throws {@link ToolError} if the call cannot succeed.
   */
  preview?(input: ToolInput, context: Pick<ToolRun, "workspace" | "planned">): Promise<Preview>;
  /** Runs the call; throws {@link ToolError} if it fails. */
  run(input: ToolInput, run: ToolRun): Promise<ToolOutput>;
  /** Returns the input with the content that the person edited in the question. */
  revise?(input: ToolInput, newContent: string): ToolInput;
}
