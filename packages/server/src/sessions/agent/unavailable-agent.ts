import type { AgentLedger, AgentPort } from "@dt/schema";
import {
  advanceToolCall,
  isInterruptedState,
  pathBetween,
  type StampedEvent,
  type ToolCallStep,
} from "@dt/schema";
import type { SessionLog } from "../../log/session-log.js";
import { NO_MODES } from "./read-only-agent.js";

/** Options of {@link createUnavailableAgent}. */
export interface UnavailableAgentOptions {
  readonly reason: unknown;
  readonly log: Pick<SessionLog, "view">;
  readonly ledger: Pick<AgentLedger, "append">;
  /** Tasks that were submitted or working. */
  readonly unfinished: readonly string[];
  /** The wall clock. */
  now(): Date;
}

/**
 * Creates a substitute for an agent that cannot be opened again, for example because its workspace is gone. Unfinished
 * tasks fail, tasks with an open question can be cancelled, and requests that need the agent are refused with the
 * reason.
 */
export async function createUnavailableAgent(options: UnavailableAgentOptions): Promise<AgentPort> {
  const { log, ledger, unfinished } = options;
  const message = options.reason instanceof Error ? options.reason.message : String(options.reason);
  const error = `the session cannot continue: ${message}`;
  const failure: ToolCallStep = { type: "fail", error: { message: error, type: "interrupted" } };

  /** Ends a task and its open calls. The events have turn 0, because they belong to no turn of the agent. */
  async function endTask(taskId: string, state: "failed" | "canceled"): Promise<void> {
    const { openCalls, state: before } = await log.view(taskId);
    const common = { taskId, turn: 0, at: options.now().toISOString() };
    const step = state === "failed" ? failure : ({ type: "cancel" } as const);
    const calls = openCalls.map((call): StampedEvent => {
      const toolCall = advanceToolCall(call, step);
      return { ...common, kind: "TOOL_CALL_UPDATE", toolCall, state: "working" };
    });
    const begun = pathBetween(before, state)
      .slice(0, -1)
      .map((through): StampedEvent => ({ ...common, kind: "STATE_CHANGE", state: through }));
    const ended: StampedEvent = {
      ...common,
      kind: "STATE_CHANGE",
      state,
      ...(state === "failed" && { error }),
    };
    await ledger.append({ events: [...begun, ...calls, ended] });
  }

  for (const taskId of unfinished) await endTask(taskId, "failed");

  async function cancel(taskId: string): Promise<boolean> {
    if (!isInterruptedState((await log.view(taskId)).state)) return false;
    await endTask(taskId, "canceled");
    return true;
  }

  return {
    async handle(request) {
      switch (request.type) {
        case "cancel":
          return { type: "changed", isChanged: await cancel(request.taskId) };
        case "withdraw":
        case "finish":
          return { type: "changed", isChanged: false };
        case "list-commands":
          return { type: "commands", commands: [] };
        case "get-modes":
          return NO_MODES;
        default:
          return { type: "refused", code: "unsupported-operation", message: error };
      }
    },
    close: async () => {},
  };
}
