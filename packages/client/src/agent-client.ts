import type { AgentSettings, JsonObject, SlashCommand } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import type { CommandOptions, CommandRun } from "./commands/command-run.js";
import type { CallOptions } from "./task/call-options.js";
import type { PromptInput } from "./task/prompt-parts.js";
import type { TaskHandle } from "./task/task-handle.js";
import type { ListTasksOptions, TaskList } from "./task/task-list.js";

/** What starts a task. */
export interface StartTaskOptions extends CallOptions {
  /** What the agent is to do. */
  readonly prompt: PromptInput;
  /**
   * The absolute path of the directory to work in. An agent that serves one session to everyone, as a
   * terminal does, needs none; every other agent does, unless `contextId` names a session.
   */
  readonly workspacePath?: string;
  /** More settings of the session: model, allowed tools, MCP servers, running without asking. */
  readonly settings?: Partial<Omit<AgentSettings, "workspacePath">>;
  /** The session to go on with. Default: a new one. */
  readonly contextId?: string;
}

/** Whether this client reaches its agent. */
export type ConnectionState =
  /** The last request or stream reached it. */
  | { readonly status: "connected" }
  /** Something broke; the next try comes after `retryInMs`. */
  | {
      readonly status: "reconnecting";
      /** Which try comes next, from 1. */
      readonly attempt: number;
      readonly retryInMs: number;
      /** What broke, mostly a TransportError. */
      readonly reason: unknown;
    }
  /** Something broke, and nobody tries again; the next request may find the agent. */
  | { readonly status: "disconnected"; readonly reason: unknown }
  /** {@link AgentClient.close} was called. */
  | { readonly status: "closed" };

/** How requests travel: HTTP with server-sent events, or one WebSocket for all of them. */
export type TransportKind = "sse" | "websocket";

/** A connection to one agent. */
export interface AgentClient {
  /** The agent's card, as it sent it. */
  readonly card: JsonObject;
  /** The version of A2A that is spoken. */
  readonly version: A2aVersion;
  /** How requests travel. */
  readonly transport: TransportKind;
  /**
   * Whether a handle hears of all that happens in its session, whoever began it, slash commands too: where
   * the agent has our session extension. Else it hears of the tasks that it began or prompted.
   */
  readonly followsSessions: boolean;
  /** Prompts a new session; resolves when the agent has taken the prompt. */
  startTask(options: StartTaskOptions): Promise<TaskHandle>;
  /**
   * Joins a task that exists: its view first, then what happens. The view begins with what was said in
   * earlier tasks of the session, as far as it has room and the agent lists them.
   */
  openTask(taskId: string, options?: CallOptions): Promise<TaskHandle>;
  /**
   * Joins a session where it is now, with what was said in all of its tasks, as {@link openTask} does.
   * Throws a ProtocolError `task-not-found` where there is none, or the agent keeps no list.
   */
  openSession(contextId: string, options?: CallOptions): Promise<TaskHandle>;
  /** The tasks of this client's principal, the one that changed last first. */
  listTasks(options?: ListTasksOptions): TaskList;
  /** The slash commands, as a tree. */
  commands(options?: CommandOptions): Promise<readonly SlashCommand[]>;
  /** Runs a slash command: `run(["memory", "add"], "use tabs")`. */
  run(path: readonly string[], args?: string, options?: CommandOptions): Promise<CommandRun>;
  /** Whether the agent is reached, as far as the last request or stream told. */
  readonly connection: ConnectionState;
  /** Tells whenever the connection changes; returns how to stop. */
  onConnectionChange(listener: (state: ConnectionState) => void): () => void;
  /**
   * Ends every stream and every waiting call of this client, and the mode that it set with `/mode`. The
   * agent works on.
   */
  close(): void;
}
