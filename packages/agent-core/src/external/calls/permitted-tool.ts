import type { ExternalCall } from "@dt/schema";
import { ToolError } from "../../errors/tool-error.js";
import type { Tool, ToolRun } from "../../tools/tool.js";
import type { KnownCall } from "./known-call.js";
import { toFailure, toLiveText, toOutput } from "./merge-call.js";
import { type PlanScope, planCall } from "./plan-call.js";

/** Options of {@link createPermittedTool}. */
export interface PermittedToolOptions {
  readonly scope: PlanScope;
  /** True if the call only asks for permission. Its tool then ends as soon as the call may run. */
  readonly isQuestionOnly: boolean;
  /** Called when the call may run. */
  onStart(run: ToolRun): void;
}

/** Creates the tool of a call that asks. Once permitted, it runs until the agent reports the end of the call. */
export function createPermittedTool(known: KnownCall, options: PermittedToolOptions): Tool {
  const { scope, isQuestionOnly, onStart } = options;
  return {
    name: known.call.toolName ?? known.call.kind ?? "other",
    description: "",
    parameters: ANY_INPUT,
    isReadOnly: true,
    plan: () => planCall(known.call, scope),
    async run(_input, run) {
      known.isJudged = false;
      onStart(run);
      if (isQuestionOnly) return { result: { $case: "text", value: "allowed" } };
      const ended = await new Promise<ExternalCall | Error>((resolve) => {
        known.running = { run, settle: resolve };
        run.signal.addEventListener("abort", () => resolve(new Error("cancelled")), { once: true });
      });
      delete known.running;
      if (ended instanceof Error) throw ended;
      return toOutput(ended, scope.workspace.root);
    },
  };
}

/** Passes the latest state of a call on to its running tool. */
export function updateTool({ running, call }: Pick<KnownCall, "running" | "call">): void {
  if (call.status === "completed") running?.settle(call);
  else if (call.status === "failed") running?.settle(new ToolError("external", toFailure(call)));
  else running?.run.print(toLiveText(call) ?? "");
}

/** Schema that accepts any object, because the agent checks the inputs of its calls itself. */
const ANY_INPUT = { type: "object" };
