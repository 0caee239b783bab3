import type { ToolOutput } from "@dt/schema";
import type { Action } from "../tools/action.js";
import type { ConfirmationDetails, Tool, ToolInput, ToolRun } from "../tools/tool.js";

/** What a scripted tool is told to be. */
export interface ScriptedToolOptions {
  readonly name: string;
  /** Whether it only looks. Default: false. */
  readonly isReadOnly?: boolean;
  /** What a call would do. Default: one action that asks. */
  readonly actions?: (input: ToolInput) => readonly Action[];
  readonly details?: (input: ToolInput) => ConfirmationDetails;
  /** What a call does: prints, gives text, or throws. Default: gives "done". */
  readonly run?: (input: ToolInput, run: ToolRun) => Promise<string> | string;
}

/** A tool that asks, prints, succeeds or fails as it is told, and remembers the calls that it ran. */
export interface ScriptedTool extends Tool {
  /** The ids of the calls that really ran, in order. */
  readonly ran: readonly string[];
}

/** Makes a tool for tests. */
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
