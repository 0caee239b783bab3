import {
  type CommandRequest,
  type CommandStart,
  type ExecuteSlashCommandResponse,
  emptyTaskView,
  encodeMessage,
  failAt,
  isObject,
  isProtocolError,
  ProtocolError,
  parseMessage,
  type Ticket,
} from "@dt/schema";
import type { StreamFrame } from "@dt/schema/wire";
import { checkSettings } from "../../access/workspace-roots.js";
import type { SessionHost } from "../../sessions/session-host.js";
import { turnStream } from "../frames/turn-stream.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "../tasks/shared-session.js";

/**
 * `command/execute`: runs a slash command. (RFC 3.3)
 *
 * The answer contains the id of the task that runs the command. If the client accepts a stream, the updates of the
 * task follow. Otherwise the client may subscribe to the task.
 */
export async function commandExecute(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { commandPath, args, contextId } = parseMessage("ExecuteSlashCommandRequest", params);
  await context.rates?.countPrompt(context.caller.user);
  const taskId = context.createId();
  const request = { messageId: context.createId(), taskId, path: commandPath, args };
  const { host, status, message, ticket } = await begin(contextId, request, context);
  const response = encodeResponse({
    executionId: ticket === undefined ? "" : taskId,
    status,
    message,
  });
  if (host === undefined || ticket === undefined || !context.acceptsStream) {
    return { type: "result", result: response };
  }
  const { messageId } = request;
  return {
    type: "stream",
    batches: executionStream(response, { host, ticket, messageId }, context),
  };
}

// Starts a command. At a limit of the server, the answer is FAILED_TO_START, because a command does not wait until
// fewer turns run. (RFC-23)
async function begin(
  contextId: string | undefined,
  command: Omit<CommandRequest, "type">,
  context: RpcContext,
): Promise<CommandStart & { readonly host?: SessionHost }> {
  try {
    const host = await findCommandHost(contextId, context);
    return { host, ...(await host.agent.runCommand(command, context.caller)) };
  } catch (reason) {
    if (!isProtocolError(reason) || reason.code !== "agent-busy") throw reason;
    return { status: "FAILED_TO_START", message: reason.message };
  }
}

/** Finds the session id in parameters, spelled `context_id` or `contextId`. */
export function findContextId(params: unknown): string | undefined {
  const value = isObject(params) ? (params.context_id ?? params.contextId ?? undefined) : undefined;
  if (value === undefined || typeof value === "string") return value || undefined;
  failAt("context_id", "expected a string");
}

function encodeResponse(response: ExecuteSlashCommandResponse) {
  return encodeMessage("ExecuteSlashCommandResponse", response);
}

/** Finds the session in which a command runs. The default is the live session, or else a new session. */
export async function findCommandHost(
  contextId: string | undefined,
  context: RpcContext,
): Promise<SessionHost> {
  const { sessions, caller, shared, defaultSettings, workspaceRoots, createId } = context;
  if (contextId !== undefined) {
    const host = await findSession(contextId, context);
    if (host !== undefined) return host;
    throw new ProtocolError("task-not-found", `context_id: there is no session ${contextId}`, {
      data: { path: "context_id" },
    });
  }
  const live = await shared?.();
  if (live !== undefined) return live.host;
  const settings = await checkSettings(defaultSettings, workspaceRoots);
  return await sessions.createSession({ contextId: createId(), settings }, caller);
}

interface Execution {
  readonly host: SessionHost;
  readonly ticket: Ticket;
  readonly messageId: string;
}

async function* executionStream(
  response: unknown,
  { host, ticket, messageId }: Execution,
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  yield [{ json: JSON.stringify(response) }];
  const { log } = host;
  const { dialect, caller, signal } = context;
  const { memory } = dialect.start(emptyTaskView(ticket.taskId, log.contextId), {
    type: "command",
  });
  yield* turnStream({ ...ticket, log, messageId, dialect, memory, caller, signal });
}
