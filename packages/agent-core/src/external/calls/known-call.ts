import type { ExternalCall } from "@dt/schema";
import { isAsking, type OpenCall } from "../../record/calls/open-call.js";
import type { ToolRun } from "../../tools/tool.js";

/** A call as the agent has described it so far. */
export interface KnownCall {
  readonly toolCallId: string;
  call: ExternalCall;
  /** True while the policy or a person decides about the call. */
  isJudged: boolean;
  /** True if the call, or a question inside it, was refused. */
  wasRefused: boolean;
  /** Set while a permitted call runs; settles its tool when the agent reports the end. */
  running?: { readonly run: ToolRun; settle(call: ExternalCall | Error): void };
  /**
   * Set once a question inside the call was permitted. Requests of the agent that this question showed need no
   * further question.
   */
  permitted?: ToolRun;
}

/**
 * The reaction to an update of a known call. `pass-on`: the running tool gets the update. `replace`: the agent went
 * on without permission, so the call is shown as a new call. `advance`: the call changes its state. `ignore`: nothing.
 */
export type UpdateReaction = "pass-on" | "replace" | "advance" | "ignore";

/** Decides how an update changes a known call. `open` is undefined if the call has ended. Pure. */
export function decideOnUpdate(
  known: Pick<KnownCall, "isJudged" | "wasRefused" | "running">,
  { status }: Pick<ExternalCall, "status">,
  open: OpenCall | undefined,
): UpdateReaction {
  if (known.running !== undefined) return "pass-on";
  const goesOn = status === "in_progress" || status === "completed";
  const isForbidden = known.isJudged || (open === undefined && known.wasRefused);
  if (goesOn && isForbidden) return "replace";
  if (open === undefined || known.isJudged || isAsking(open)) return "ignore";
  return "advance";
}

/**
 * The call that gets the question. `reported`: the call that the agent reported. `inside`: a call inside the
 * running call. `beside`: another call, because the policy or a person still decides about the reported call.
 * `new`: an unknown or ended call.
 */
export type QuestionTarget = "reported" | "inside" | "beside" | "new";

/**
 * Decides which call gets a question. `known` is undefined if the call is unknown. `open` is undefined if the
 * call is unknown or has ended. Pure.
 */
export function findQuestionTarget(
  known: Pick<KnownCall, "isJudged"> | undefined,
  open: OpenCall | undefined,
): QuestionTarget {
  // The call already runs, so the question becomes a nested question inside it.
  if (open?.toolCall.status === "EXECUTING") return "inside";
  if (known?.isJudged === true) return "beside";
  return open === undefined ? "new" : "reported";
}
