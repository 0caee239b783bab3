import type { ToolOutput } from "@dt/schema";
import type { Action } from "../tools/action.js";
import type { ConfirmationDetails, Tool, ToolInput, ToolRun } from "../tools/tool.js";

/** Options of {@link scriptedTool}. */
export interface ScriptedToolOptions {
  readonly name: string;
  /** True if the tool only reads. Default: false. */
  readonly isReadOnly?: boolean;
  /** The actions of a call. Default: one action that needs permission. */
  readonly actions?: (input: ToolInput) => readonly Action[];
  readonly details?: (input: ToolInput) => ConfirmationDetails;
  /** Runs a call: prints, returns text, or throws. Default: returns "done". */
  readonly run?: (input: ToolInput, run: ToolRun) => Promise<string> | string;
}

/** A tool that asks, prints, succeeds or fails as the test says, and records its calls. */
export interface ScriptedTool extends Tool {
  /** Ids of the calls that ran, in order. */
  readonly ran: readonly string[];
}

/** Creates a tool for tests. */
export function scriptedTool(options: ScriptedToolOptions): ScriptedTool {
  const { name, isReadOnly = false } = options;
  const ran: string[] = [];
  return {
    name,
    description: name,
    parameters: { type: "object" },
    isReadOnly,
    ran,
    plan: async (input) => ({
      description: name,
      actions: options.actions?.(input) ?? [{ type: "other", name, target: JSON.stringify(input) }],
      details: options.details?.(input) ?? {
        $case: "genericDetails",
        value: { description: name },
      },
    }),
    async run(input, run): Promise<ToolOutput> {
      ran.push(run.toolCallId);
      const text = (await options.run?.(input, run)) ?? "done";
      return { result: { $case: "text", value: text } };
    },
  };
}
