import type { ExternalCall } from "@dt/schema";
import type { CallStep } from "../../record/calls/advance-calls.js";
import type { OpenCall } from "../../record/calls/open-call.js";
import { toFailure, toOutput } from "./merge-call.js";

/** Returns the steps that lead from the state of a call to the state that the agent reports. Pure. */
export function movesOf(
  call: ExternalCall,
  { toolCall }: OpenCall,
  root: string,
): readonly CallStep[] {
  const start: readonly CallStep[] =
    toolCall.status === "PENDING"
      ? [{ type: "start", ...(call.input !== undefined && { inputParameters: call.input }) }]
      : [];
  switch (call.status) {
    case "in_progress":
      return start;
    case "completed":
      return [...start, { type: "succeed", output: toOutput(call, root) }];
    case "failed":
      return [{ type: "fail", error: { message: toFailure(call), type: "external" } }];
    default:
      return [];
  }
}

/** Returns the step that shows a new title or input of a call; undefined if neither has changed. Pure. */
export function changeOf(
  { title, input }: ExternalCall,
  { toolCall }: OpenCall,
): CallStep | undefined {
  const hasTitle = title !== undefined && title !== toolCall.description;
  const hasInput =
    input !== undefined && JSON.stringify(input) !== JSON.stringify(toolCall.inputParameters);
  if (!hasTitle && !hasInput) return undefined;
  return {
    type: "show",
    ...(hasTitle && { description: title }),
    ...(hasInput && { inputParameters: input }),
  };
}
