import { type Presence, ProtocolError, toOrigin } from "@dt/schema";
import { decodeTaskParams } from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { dialectOf, getTaskForCaller } from "./shared-session.js";

/** `tasks/get`, `GetTask`: returns the task with its transitions. The open questions are in the status of the task. */
export async function tasksGet(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId, ...options } = decodeTaskParams(params);
  const found = await getTaskForCaller(taskId, context);
  const { host } = found;
  const view = { ...(await host.log.view(taskId)), presence: await presenceOf(host, context) };
  const transitions = await host.log.transitions(taskId);
  const result = dialectOf(found, context).encodeTask(view, { ...options, transitions });
  return { type: "result", result };
}

/** Reads the mode of the caller, the number of clients, and how events name the caller. */
async function presenceOf(host: SessionHost, context: RpcContext): Promise<Presence> {
  const { countClients, caller } = context;
  // Only an open agent knows the mode, and reading a task must not open the agent.
  const mode = host.isOwned ? (await host.agent.getModes(caller)).mode : "";
  const clients = countClients?.() ?? host.log.subscribers.countClients();
  return { mode, clients, caller: toOrigin(caller) };
}

/** `tasks/cancel`, `CancelTask`: cancels the turn and the queued prompts of a task. */
export async function tasksCancel(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId } = decodeTaskParams(params);
  const found = await getTaskForCaller(taskId, context);
  const { host } = found;
  if (!(await host.agent.cancel(taskId, context.caller))) {
    throw new ProtocolError(
      "task-not-cancelable",
      `the task ${taskId} is not running, so there is nothing to cancel`,
    );
  }
  const view = await host.log.view(taskId);
  return { type: "result", result: dialectOf(found, context).encodeTask(view) };
}

/**
 * `agent/getAuthenticatedExtendedCard`, `GetExtendedAgentCard`: returns the extended card, with the role of
 * the caller. Fails if the agent has only its public card. (A2A 1.0 §3.3.4)
 */
export async function getExtendedCard(_params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { extendedCard, caller, spelling, host } = context;
  if (extendedCard === undefined) {
    throw new ProtocolError("unsupported-operation", "this agent has only its public card");
  }
  const request = { headers: host === undefined ? {} : { host } };
  return { type: "result", result: extendedCard(caller, spelling.version, request) };
}
