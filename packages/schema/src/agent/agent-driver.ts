import { isProtocolError, ProtocolError } from "../errors/protocol-error.js";
import type { SlashCommand } from "../gen/development_tool/command.js";
import type { AccessChange } from "../gen/dt_session/event.js";
import type { AgentMetadata } from "./agent-metadata.js";
import type { AgentPort } from "./agent-port.js";
import type { Caller } from "./caller.js";
import type {
  AnswerVerdict,
  CommandStart,
  ModesReply,
  Permission,
  ReplyTo,
  SessionReply,
  Ticket,
} from "./session-reply.js";
import { REPLY_TYPES } from "./session-reply.js";
import type {
  AnswerRequest,
  CommandRequest,
  OpenTaskRequest,
  PromptContent,
  SessionRequest,
} from "./session-request.js";

/** Typed methods that call an agent's `handle`. A refusal is thrown as a {@link ProtocolError}. */
export interface AgentDriver {
  prompt(prompt: PromptContent, caller: Caller): Promise<Ticket>;
  steer(prompt: PromptContent, caller: Caller): Promise<Ticket>;
  /** Resolves to false if the prompt was not in the queue. */
  withdraw(messageId: string, caller: Caller): Promise<boolean>;
  answer(request: Omit<AnswerRequest, "type">, caller: Caller): Promise<readonly AnswerVerdict[]>;
  /** Resolves to false if there was nothing to cancel. */
  cancel(taskId: string, caller: Caller): Promise<boolean>;
  /** Resolves to undefined if no turn can be retried. */
  retry(caller: Caller): Promise<Ticket | undefined>;
  runCommand(request: Omit<CommandRequest, "type">, caller: Caller): Promise<CommandStart>;
  listCommands(caller: Caller): Promise<readonly SlashCommand[]>;
  openTask(
    taskId: string,
    caller: Caller,
    options?: Pick<OpenTaskRequest, "taskMode">,
  ): Promise<Ticket>;
  getModes(caller: Caller): Promise<ModesReply>;
  getMetadata(caller: Caller): Promise<AgentMetadata>;
  listPermissions(caller: Caller): Promise<readonly Permission[]>;
  forgetPermissions(numbers: readonly number[], caller: Caller): Promise<boolean>;
  /** Resolves to false if the session has no task yet, because it then has no subscribers to tell. */
  announceAccess(access: AccessChange, caller: Caller): Promise<boolean>;
  /** Resolves to false, and changes nothing, if a question is open. */
  finish(caller: Caller): Promise<boolean>;
}

/** Creates the driver of an agent. */
export function driveAgent(agent: Pick<AgentPort, "handle">): AgentDriver {
  const changed = async (request: ChangeRequest, caller: Caller) =>
    (await send(agent, request, caller)).isChanged;
  const accepted = async (request: TicketRequest, caller: Caller) =>
    getTicket(await send(agent, request, caller));
  return {
    prompt: (prompt, caller) => accepted({ ...prompt, type: "prompt" }, caller),
    steer: (prompt, caller) => accepted({ ...prompt, type: "steer" }, caller),
    withdraw: (messageId, caller) => changed({ type: "withdraw", messageId }, caller),
    answer: async (request, caller) =>
      (await send(agent, { ...request, type: "answer" }, caller)).verdicts,
    cancel: (taskId, caller) => changed({ type: "cancel", taskId }, caller),
    retry: async (caller) => (await send(agent, { type: "retry" }, caller)).ticket,
    async runCommand(request, caller) {
      const { type: _, ...start } = await send(agent, { ...request, type: "command" }, caller);
      return start;
    },
    listCommands: async (caller) => (await send(agent, { type: "list-commands" }, caller)).commands,
    openTask: (taskId, caller, options) =>
      accepted({ type: "open-task", taskId, ...options }, caller),
    getModes: (caller) => send(agent, { type: "get-modes" }, caller),
    getMetadata: async (caller) => (await send(agent, { type: "get-metadata" }, caller)).metadata,
    listPermissions: async (caller) =>
      (await send(agent, { type: "list-permissions" }, caller)).permissions,
    forgetPermissions: (numbers, caller) =>
      changed({ type: "forget-permissions", numbers }, caller),
    announceAccess: (access, caller) => changed({ type: "announce-access", access }, caller),
    finish: (caller) => changed({ type: "finish" }, caller),
  };
}

/**
 * Runs `work` and returns its reply. A thrown {@link ProtocolError} becomes a reply of type
 * `refused`; other errors are rethrown.
 */
export async function replyOrRefuse(work: () => Promise<SessionReply>): Promise<SessionReply> {
  try {
    return await work();
  } catch (reason) {
    if (!isProtocolError(reason)) throw reason;
    const { code, message, data } = reason;
    return { type: "refused", code, message, ...(data !== undefined && { data }) };
  }
}

type RequestOf<TType extends SessionRequest["type"]> = Extract<
  SessionRequest,
  { readonly type: TType }
>;
type ChangeRequest = RequestOf<
  "withdraw" | "cancel" | "forget-permissions" | "announce-access" | "finish"
>;
type TicketRequest = RequestOf<"prompt" | "steer" | "open-task">;

async function send<TType extends SessionRequest["type"]>(
  agent: Pick<AgentPort, "handle">,
  request: RequestOf<TType>,
  caller: Caller,
): Promise<ReplyTo<TType>> {
  const reply = await agent.handle(request, caller);
  if (reply.type === "refused") {
    const { code, message, data } = reply;
    throw new ProtocolError(code, message, data === undefined ? {} : { data });
  }
  if (isReplyTo<TType>(reply, request.type)) return reply;
  throw new Error(`the agent answered ${request.type} with a reply of type ${reply.type}`);
}

function isReplyTo<TType extends SessionRequest["type"]>(
  reply: SessionReply,
  type: SessionRequest["type"],
): reply is ReplyTo<TType> {
  return reply.type === REPLY_TYPES[type];
}

function getTicket({ ticket }: { readonly ticket?: Ticket }): Ticket {
  if (ticket === undefined) throw new Error("the agent accepted the message without a ticket");
  return ticket;
}
