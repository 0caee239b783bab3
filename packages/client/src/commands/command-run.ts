import {
  type CommandExecutionStatus,
  emptyTaskView,
  encodeMessage,
  ProtocolError,
  parseMessage,
  type SessionEvent,
  type SlashCommand,
  type TaskView,
} from "@dt/schema";
import { methodNames } from "@dt/schema/wire";
import { isTransportError, TransportError } from "../errors/transport-error.js";
import type { CallOptions } from "../task/call-options.js";
import { type Conversation, request } from "../task/channel/requests.js";
import type { EventsOptions, TaskHandle } from "../task/task-handle.js";
import { linkSignals } from "../transport/abort-signals.js";

/** Options of everything about slash commands. */
export interface CommandOptions extends CallOptions {
  /** The session that is meant. Default: the live one, or a new one on the agent's own workspace. */
  readonly contextId?: string;
}

/** A slash command that was asked for. */
export interface CommandRun {
  /** How it began; FAILED_TO_START where it did not. */
  readonly status: CommandExecutionStatus;
  /** Why it did not start, or what it waits for; may be empty. */
  readonly message: string;
  /** Its execution, a task like any other: questions included. Undefined where it did not start. */
  readonly task: TaskHandle | undefined;
  /** What it does, from its start to its end; nothing where it did not start. */
  events(options?: EventsOptions): AsyncIterable<SessionEvent>;
}

/** The slash commands of a session, as a tree. (RFC 3.3, commands/get) */
export async function listCommands(
  conversation: Conversation,
  { contextId, signal }: CommandOptions,
): Promise<readonly SlashCommand[]> {
  const params = contextId === undefined ? {} : { context_id: contextId };
  const json = await request(conversation, "list-commands", params, signal);
  return parseMessage("GetAllSlashCommandsResponse", json, "result").commands;
}

/**
 * Runs a slash command. (RFC 3.3, command/execute)
 *
 * It is asked for once: a command has no id by which an agent could tell a repetition, so where the
 * answer gets lost the caller is told that it may have run.
 */
export async function runCommand(
  { transport, spelling, attempts }: Conversation,
  command: { readonly path: readonly string[]; readonly args: string },
  { contextId, signal }: CommandOptions,
  open: (start: TaskView) => TaskHandle,
): Promise<CommandRun> {
  checkCommandPath(command.path);
  const params = encodeMessage("ExecuteSlashCommandRequest", {
    commandPath: command.path,
    args: command.args,
    contextId,
  });
  const method = methodNames[spelling.version]["execute-command"];
  const link = linkSignals(attempts.closing, signal);
  try {
    for await (const { result } of transport.stream(method, params, { signal: link.signal })) {
      const { executionId, status, message } = parseMessage(
        "ExecuteSlashCommandResponse",
        result,
        "result",
      );
      const task =
        executionId === "" ? undefined : open(emptyTaskView(executionId, contextId ?? ""));
      return { status, message, task, events: (options) => task?.events(options) ?? nothing() };
    }
    throw new TransportError("closed", "the stream ended without an answer");
  } catch (reason) {
    if (!isTransportError(reason) || reason.reason === "refused" || link.signal.aborted)
      throw reason;
    const name = `/${command.path.join(" ")}`;
    throw new TransportError(
      reason.reason,
      `${reason.message}; whether ${name} was run is not known: look before running it again`,
      { cause: reason },
    );
  } finally {
    link.release();
  }
}

/** Throws for what is no path of a command: a program without types may pass a text. */
export function checkCommandPath(path: unknown): void {
  const isPath =
    Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === "string");
  if (isPath) return;
  throw new ProtocolError(
    "invalid-message",
    'path: expected a list of names, such as ["memory", "add"]',
  );
}

async function* nothing(): AsyncGenerator<never, void, undefined> {}
