import {
  type CommandTicket,
  type ExecuteSlashCommandResponse,
  encodeMessage,
  isObject,
  isProtocolError,
  type Principal,
  type PromptTicket,
  ProtocolError,
  parseMessage,
} from "@dt/schema";
import { checkSettings } from "../access/workspace-roots.js";
import type { AgentCommand } from "../agent-port.js";
import type { SessionHost } from "../sessions/session-host.js";
import type { RpcContext, RpcOutcome, StreamFrame } from "./rpc-context.js";
import { findSession } from "./shared-session.js";
import { turnStream } from "./turn-stream.js";

/**
 * `command/execute`: runs a slash command. (RFC 3.3)
 *
 * Answered at once with the id of the execution, a task. Where a stream is accepted its updates follow
 * on it; else the caller subscribes to that task.
 */
export async function commandExecute(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { commandPath, args, contextId } = parseMessage("ExecuteSlashCommandRequest", params);
  const { host, isNew } = await findHost(contextId, context);
  const taskId = context.createId();
  const request = { messageId: context.createId(), taskId, path: commandPath, args };
  const { status, message, ticket } = await begin(host, request, context.principal);
  const response = encodeResponse({
    executionId: ticket === undefined ? "" : taskId,
    status,
    message,
  });
  // A session that was made for a command that does not exist serves nobody.
  if (ticket === undefined && isNew) await context.sessions.forget(host.session.contextId);
  if (ticket === undefined || !context.acceptsStream) return { type: "result", result: response };
  const { messageId } = request;
  return {
    type: "stream",
    batches: executionStream(response, { host, ticket, messageId }, context),
  };
}

// An agent that has too much to do answers at once as well: the command did not start. (RFC-23)
async function begin(
  { agent }: SessionHost,
  command: AgentCommand,
  principal: Principal,
): Promise<CommandTicket> {
  try {
    return await agent.runCommand(command, principal);
  } catch (reason) {
    if (!isProtocolError(reason) || reason.code !== "agent-busy") throw reason;
    return { status: "FAILED_TO_START", message: reason.message };
  }
}

/** The session that parameters name, in either casing. */
export function findContextId(params: unknown): string | undefined {
  const value = isObject(params) ? (params.context_id ?? params.contextId ?? undefined) : undefined;
  if (value === undefined || typeof value === "string") return value || undefined;
  throw new ProtocolError("invalid-message", "context_id: expected a string");
}

function encodeResponse(response: ExecuteSlashCommandResponse) {
  return encodeMessage("ExecuteSlashCommandResponse", response);
}

// Without a context: in the live session, or in a new one on the default workspace. (DESIGN 3.15)
async function findHost(contextId: string | undefined, context: RpcContext): Promise<FoundHost> {
  const { sessions, principal, shared, defaultSettings, workspaceRoots, createId } = context;
  if (contextId !== undefined) {
    const host = await findSession(contextId, context);
    if (host !== undefined) return { host, isNew: false };
    throw new ProtocolError("invalid-message", `context_id: there is no session ${contextId}`);
  }
  const live = await shared?.();
  if (live !== undefined) return { host: live.host, isNew: false };
  const settings = await checkSettings(defaultSettings, workspaceRoots);
  const host = await sessions.createSession({ contextId: createId(), settings }, principal);
  return { host, isNew: true };
}

/** Where a command runs, and whether that was made for it. */
interface FoundHost {
  readonly host: SessionHost;
  readonly isNew: boolean;
}

interface Execution {
  readonly host: SessionHost;
  readonly ticket: PromptTicket;
  readonly messageId: string;
}

async function* executionStream(
  response: unknown,
  { host, ticket, messageId }: Execution,
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  yield [{ json: JSON.stringify(response) }];
  const { log } = host;
  const { taskId, turn, seq } = ticket;
  const { signal } = context;
  yield* turnStream({ log, taskId, turn, messageId, after: seq - 1, dialect: context, signal });
}
