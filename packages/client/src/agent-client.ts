import type { AgentSettings, JsonObject, SlashCommand } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import type { CommandOptions, CommandRun } from "./commands/command-run.js";
import type { Sharing } from "./sharing/sharing.js";
import type { CallOptions } from "./task/call-options.js";
import type { PromptInput } from "./task/prompt-parts.js";
import type { TaskHandle } from "./task/task-handle.js";
import type { ListTasksOptions, TaskList } from "./task/task-list.js";

/** Options of {@link AgentClient.startTask}. */
export interface StartTaskOptions extends CallOptions {
  /** Prompt of the first turn. */
  readonly prompt: PromptInput;
  /**
   * Absolute path of the directory to work in. Required for a new session, unless the agent serves one
   * session to all clients, as a terminal does.
   */
  readonly workspacePath?: string;
  /** Other settings of the session: model, allowed tools, MCP servers, `autoExecute`. */
  readonly settings?: Partial<Omit<AgentSettings, "workspacePath">>;
  /** Session to continue. Default: a new session. */
  readonly contextId?: string;
  /**
   * Id of the message. If an agent with our session extension gets the same id again, it starts nothing,
   * and the handle joins the task of the first message. Default: a new id.
   */
  readonly messageId?: string;
  /** Number of agents that called each other to send this prompt. Default: 0. */
  readonly callDepth?: number;
}

/** State of the connection to the agent. */
export type ConnectionState =
  /** The last request or stream reached the agent. */
  | { readonly status: "connected" }
  /** The connection broke; the next attempt starts after `retryInMs`. */
  | {
      readonly status: "reconnecting";
      /** Number of the next attempt, from 1. */
      readonly attempt: number;
      readonly retryInMs: number;
      /** Cause of the break, usually a TransportError. */
      readonly reason: unknown;
    }
  /** The connection broke, and the client no longer retries. The next request may succeed. */
  | { readonly status: "disconnected"; readonly reason: unknown }
  /** {@link AgentClient.close} was called. */
  | { readonly status: "closed" };

/** Transport of requests: HTTP with server-sent events, or one WebSocket for all requests. */
export type TransportKind = "sse" | "websocket";

/** A connection to one agent. */
export interface AgentClient {
  /** The agent's card, unchanged. */
  readonly card: JsonObject;
  /** Version of A2A of this connection. */
  readonly version: A2aVersion;
  /** Transport of this connection. */
  readonly transport: TransportKind;
  /**
   * True if the agent has our session extension. A handle then gets all events of its session, including
   * slash commands and turns of other clients. Otherwise a handle only gets events of tasks that it started
   * or prompted.
   */
  readonly followsSessions: boolean;
  /** Starts a task, by default in a new session; resolves when the agent has accepted the first prompt. */
  startTask(options: StartTaskOptions): Promise<TaskHandle>;
  /**
   * Joins an existing task. The handle starts with the task's view and continues with its events. If the
   * task has not ended and the agent has our session extension, the handle starts with the session's current
   * task, which may be another one. The view also has items of the session's other tasks, if the agent lists
   * them.
   */
  openTask(taskId: string, options?: CallOptions): Promise<TaskHandle>;
  /**
   * Joins a session at its current task. The view has the items of all tasks of the session. Throws
   * a ProtocolError `task-not-found` if the session does not exist or the agent cannot list tasks.
   */
  openSession(contextId: string, options?: CallOptions): Promise<TaskHandle>;
  /** Lists the tasks of this client's user, the most recently changed one first. */
  listTasks(options?: ListTasksOptions): TaskList;
  /** Lists the slash commands, as a tree. */
  commands(options?: CommandOptions): Promise<readonly SlashCommand[]>;
  /** Runs a slash command: `run(["memory", "add"], "use tabs")`. */
  run(path: readonly string[], args?: string, options?: CommandOptions): Promise<CommandRun>;
  /** Shares sessions with other users, and lists the sessions that other users share. */
  readonly sharing: Sharing;
  /** State of the connection, as of the last request or stream. */
  readonly connection: ConnectionState;
  /** Calls the listener when the connection changes; returns a function that removes the listener. */
  onConnectionChange(listener: (state: ConnectionState) => void): () => void;
  /**
   * Ends every stream and every pending call. The permission mode that this client set with `/mode` ends
   * too. The agent continues to work.
   */
  close(): void;
}
