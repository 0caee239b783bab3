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
import { METHOD_NAMES } from "@dt/schema/wire";
import { isTransportError, TransportError } from "../errors/transport-error.js";
import type { CallOptions } from "../task/call-options.js";
import { type Conversation, request } from "../task/channel/requests.js";
import type { EventsOptions, TaskHandle } from "../task/task-handle.js";
import { linkSignals } from "../transport/abort-signals.js";

/** Options of the calls about slash commands. */
export interface CommandOptions extends CallOptions {
  /** Session of the command. Default: the live session, else a new session in the agent's workspace. */
  readonly contextId?: string;
}

/** A slash command that was requested. */
export interface CommandRun {
  /** Initial status; FAILED_TO_START if the command could not start. */
  readonly status: CommandExecutionStatus;
  /** Reason why the command did not start, or the question that it waits for; may be empty. */
  readonly message: string;
  /** Task of the command, with its questions; undefined if the command did not start. */
  readonly task: TaskHandle | undefined;
  /** Yields the events of the command from start to end; no events if the command did not start. */
  events(options?: EventsOptions): AsyncIterable<SessionEvent>;
}

/** Lists the slash commands of a session, as a tree. (RFC 3.3, commands/get) */
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
 * The request is sent once, because a command has no id by which an agent could recognise a repeat.
 * If the reply is lost, the error says that the command may have run.
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
  const method = METHOD_NAMES[spelling.version]["execute-command"];
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
      `${reason.message}; ${name} may have run; check before you run it again`,
      { cause: reason },
    );
  } finally {
    link.release();
  }
}

/** Throws if a path is not a list of at least one name. A program without types may pass a string. */
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
