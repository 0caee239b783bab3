import { isObject } from "@dt/schema";
import { DEFAULT_DIALECT, type Dialect } from "@dt/schema/wire";
import { type RpcContext, variantOf } from "../rpc-context.js";

/**
 * Finds the dialect of a message. A message of plain A2A to an existing task has the dialect in which the task was
 * created, if its sender may use the task.
 */
export async function findMessageDialect(params: unknown, context: RpcContext): Promise<Dialect> {
  const { dialect, dialects, activation, sessions, caller } = context;
  const taskId = findTaskId(params);
  const isNamed = dialect.name !== DEFAULT_DIALECT || activation.developmentTool;
  if (isNamed || taskId === undefined) return dialect;
  const task = await sessions.findTask(taskId);
  const role = task && (await sessions.roleOn(task, caller));
  return role === undefined ? dialect : dialects.ofTask(task?.dialect, variantOf(context));
}

// Finds the task id of a message that was not checked yet. Dialects check the message later, so any JSON can arrive
// here.
function findTaskId(params: unknown): string | undefined {
  const message = isObject(params) && isObject(params.message) ? params.message : {};
  return typeof message.taskId === "string" ? message.taskId : undefined;
}
