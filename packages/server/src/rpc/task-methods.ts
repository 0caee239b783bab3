import { ProtocolError } from "@dt/schema";
import { decodeTaskParams, encodeTask } from "@dt/schema/wire";
import type { RpcContext, RpcOutcome } from "./rpc-context.js";

/** `tasks/get`, `GetTask`: the task as it stands, open questions in its status. */
export async function tasksGet(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId, historyLength } = decodeTaskParams(params);
  return await taskResult(taskId, context, historyLength);
}

/** `tasks/cancel`, `CancelTask`: ends what the task is doing. */
export async function tasksCancel(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId } = decodeTaskParams(params);
  const { host } = await context.sessions.getTask(taskId, context.principal);
  if (!(await host.agent.cancel(taskId))) {
    throw new ProtocolError(
      "task-not-cancelable",
      `the task ${taskId} is doing nothing that could be cancelled`,
    );
  }
  return await taskResult(taskId, context);
}

async function taskResult(
  taskId: string,
  { sessions, principal, spelling, activation }: RpcContext,
  historyLength?: number,
): Promise<RpcOutcome> {
  const { host } = await sessions.getTask(taskId, principal);
  const view = await host.log.view(taskId);
  const task = encodeTask(view, {
    activation,
    ...(historyLength !== undefined && { historyLength }),
  });
  return { type: "result", result: spelling.encodeTask(task) };
}
