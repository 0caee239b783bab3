import type { AgentExecutor } from "@a2a-js/sdk/server";
import { type OpenAgent, SetupError } from "@dt/schema";
import { systemClock } from "../clock.js";
import { openExecutorSession } from "./executor-session.js";
import { createRequestFactory } from "./request-factory.js";

/**
 * An `AgentExecutor` of `@a2a-js/sdk/server`. Its parameters have the type `never` here, so that only programs with an
 * executor need the SDK's declarations.
 */
export interface SdkExecutor {
  readonly execute: (requestContext: never, eventBus: never) => Promise<void>;
  readonly cancelTask: (taskId: string, eventBus: never) => Promise<void>;
}

/** Options of {@link createExecutorAgent}. */
export interface ExecutorAgentOptions {
  /** Called with an error of the executor. Clients only learn that the agent failed. */
  readonly onFault?: (reason: unknown) => void;
  /** The wall clock. Default: the clock of the system. */
  readonly now?: () => Date;
}

/**
 * Creates an agent from an `AgentExecutor` of the official SDK. The executor then has durable sessions, cursors and
 * every binding of this server.
 *
 * Tasks of a session run at the same time. A message for a task that is working waits until the executor has finished
 * or needs input.
 */
export function createExecutorAgent(
  executor: SdkExecutor,
  { onFault = () => {}, now = systemClock.now }: ExecutorAgentOptions = {},
): OpenAgent {
  return async (options) => {
    if (options.openTaskId !== undefined) {
      throw new SetupError(
        "an executor ends its own tasks, so it cannot run a live session; serve the executor with createAgentServer",
      );
    }
    // The SDK's server is loaded when a session opens, because loading it earlier would slow down the start.
    const createRequest = createRequestFactory(await import("@a2a-js/sdk/server"));
    const typed = executor as AgentExecutor;
    return await openExecutorSession({ ...options, executor: typed, createRequest, onFault, now });
  };
}
