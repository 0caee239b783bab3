import { ProtocolError } from "@dt/schema";
import type { SessionHost } from "../sessions/session-host.js";
import type { RpcContext } from "./rpc-context.js";

/** The one session that a live endpoint shares with everyone, and its virtual task. (DESIGN 3.12) */
export interface SharedSession {
  readonly host: SessionHost;
  readonly taskId: string;
}

/** A task and the session that it belongs to. */
export interface FoundTask {
  readonly host: SessionHost;
  readonly taskId: string;
}

/** A task of the caller, or the shared one; throws `task-not-found`, also for someone else's. */
export async function getTask(taskId: string, context: RpcContext): Promise<FoundTask> {
  const shared = await context.shared?.();
  if (shared?.taskId === taskId) return shared;
  const { host } = await context.sessions.getTask(taskId, context.principal);
  return { host, taskId };
}

/** A task in a context that the caller also named, if it did. */
export async function getTaskOf(
  { taskId, contextId }: { readonly taskId: string; readonly contextId?: string },
  context: RpcContext,
): Promise<FoundTask> {
  const found = await getTask(taskId, context);
  if (contextId !== undefined && contextId !== found.host.log.contextId) {
    throw new ProtocolError(
      "invalid-message",
      `message.contextId: the task ${taskId} belongs to another context`,
    );
  }
  return found;
}
