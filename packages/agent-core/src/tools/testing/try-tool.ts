import type { Todo, ToolOutput } from "@dt/schema";
import type { Workspace } from "../../workspace/workspace.js";
import { NO_AGENT_CALLS } from "../agent-calls.js";
import { buildPreview } from "../build-preview.js";
import { checkInput } from "../check-input.js";
import type { Plan, Tool, ToolInput, ToolRun } from "../tool.js";

/** The result of {@link tryTool}. */
export interface Trial {
  readonly plan: Plan;
  readonly output: ToolOutput;
  /** Text of the output; empty if the output is not text. */
  readonly text: string;
  /** Live output that was printed while the call ran. */
  readonly printed: readonly string[];
  /** Todo list that the call wrote last; undefined if it wrote none. */
  readonly todos: readonly Todo[] | undefined;
}

/** Options of {@link tryTool}. */
export interface TryToolOptions extends Partial<ToolRun> {
  readonly workspace: Workspace;
  /**
   * Runs after the preview and before the call, while a person would decide. It may return another
   * input for the call.
   */
  readonly meanwhile?: (plan: Plan) => Promise<ToolInput | undefined> | Promise<void>;
}

/** Checks, plans, previews and runs a call as a turn does, and approves its question. */
export async function tryTool(
  tool: Tool,
  input: ToolInput,
  options: TryToolOptions,
): Promise<Trial> {
  checkInput(tool, input);
  const planned = await tool.plan(input, options.workspace);
  const { workspace } = options;
  const preview = await buildPreview(tool, { input, plan: planned, workspace, isAllowed: false });
  const plan: Plan = { ...planned, ...preview };
  const revised = await options.meanwhile?.(plan);
  const printed: string[] = [];
  const written: (readonly Todo[])[] = [];
  const output = await tool.run(revised ?? input, {
    toolCallId: "call",
    signal: new AbortController().signal,
    shown: plan.details,
    planned: plan.actions,
    print: (liveContent) => printed.push(liveContent),
    writeTodos: (todos) => written.push(todos),
    agentCalls: NO_AGENT_CALLS,
    ask: async () => ({ isGranted: false, reason: "nobody is asked in this trial" }),
    ...options,
  });
  const text = output.result?.$case === "text" ? output.result.value : "";
  return { plan, output, text, printed, todos: written.at(-1) };
}
