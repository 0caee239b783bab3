import type { AgentSettings, JsonObject, Part } from "@dt/schema";
import type { CallOptions, TaskHandle } from "./task/task-handle.js";

/** A prompt: text, or text with files and data beside it. */
export type PromptInput = string | readonly Part[];

/** What starts a task. */
export interface StartTaskOptions extends CallOptions {
  /** What the agent is to do. */
  readonly prompt: PromptInput;
  /** The absolute path of the directory to work in. */
  readonly workspacePath: string;
  /** More settings of the session: model, allowed tools, MCP servers, running without asking. */
  readonly settings?: Partial<Omit<AgentSettings, "workspacePath">>;
}

/** Whether this client reaches its agent. */
export type ConnectionState =
  | { readonly status: "connected" }
  /** Something broke; the next try comes after `retryInMs`. */
  | {
      readonly status: "reconnecting";
      readonly attempt: number;
      readonly retryInMs: number;
      readonly reason: unknown;
    }
  | { readonly status: "closed" };

/** A connection to one agent. */
export interface AgentClient {
  /** The agent's card, as it sent it. */
  readonly card: JsonObject;
  /** Prompts a new session; resolves when the agent has taken the prompt. */
  startTask(options: StartTaskOptions): Promise<TaskHandle>;
  /** Joins a task that exists: its view first, then what happens. */
  openTask(taskId: string, options?: CallOptions): Promise<TaskHandle>;
  /** Tells whenever the connection changes; returns how to stop. */
  onConnectionChange(listener: (state: ConnectionState) => void): () => void;
  /** Ends every stream of this client. The agent works on. */
  close(): void;
}
