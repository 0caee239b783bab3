import { ProtocolError } from "@dt/schema";
import type { AgentLedger, AgentPort } from "../agent-port.js";

/** A session that could not be opened, and what it left unfinished. */
export interface UnavailableAgentOptions {
  readonly reason: unknown;
  readonly log: AgentLedger;
  /** The tasks that were submitted or working. */
  readonly unfinished: readonly string[];
}

/**
 * Stands in for an agent that cannot be opened again, such as one whose workspace is gone: its tasks
 * that were going on have failed, its log stays readable, and whoever wants more of it is told why not.
 */
export async function createUnavailableAgent(options: UnavailableAgentOptions): Promise<AgentPort> {
  const { log, unfinished } = options;
  const message = options.reason instanceof Error ? options.reason.message : String(options.reason);
  const error = `the session cannot go on: ${message}`;
  const at = new Date().toISOString();
  if (unfinished.length > 0) {
    await log.append({
      events: unfinished.flatMap((taskId) => {
        const common = { kind: "STATE_CHANGE" as const, taskId, turn: 0, at };
        return [
          { ...common, state: "working" as const },
          { ...common, state: "failed" as const, error },
        ];
      }),
    });
  }
  const refuse = async (): Promise<never> => {
    throw new ProtocolError("unsupported-operation", error);
  };
  return {
    prompt: refuse,
    answer: refuse,
    runCommand: refuse,
    cancel: async () => false,
    commands: () => [],
    close: async () => {},
  };
}
