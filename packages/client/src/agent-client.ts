import type { AgentSettings, JsonObject } from "@dt/schema";
import type { TaskHandle } from "./task/task-handle.js";

/** What starts a task. */
export interface StartTaskOptions {
  /** What the agent is to do. */
  readonly prompt: string;
  /** The absolute path of the directory to work in. */
  readonly workspacePath: string;
  /** More settings of the session. */
  readonly settings?: Partial<Omit<AgentSettings, "workspacePath">>;
  readonly signal?: AbortSignal;
}

/** A connection to one agent. */
export interface AgentClient {
  /** The agent's card, as it sent it. */
  readonly card: JsonObject;
  /** Prompts a new session; resolves when the agent has taken the prompt. */
  startTask(options: StartTaskOptions): Promise<TaskHandle>;
  /** Joins a task that exists: its view first, then what happens. */
  openTask(taskId: string, options?: { readonly signal?: AbortSignal }): Promise<TaskHandle>;
  /** Ends every stream of this client. The agent works on. */
  close(): void;
}
