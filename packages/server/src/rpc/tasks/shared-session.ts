import { failAt, ProtocolError, type TaskView } from "@dt/schema";
import type { Dialect } from "@dt/schema/wire";
import { checkRole, checkSessionRole } from "../../access/auth/role-table.js";
import type { SessionHost } from "../../sessions/session-host.js";
import type { SessionRecord, TaskRecord } from "../../store/session-store.js";
import { type RpcContext, variantOf } from "../rpc-context.js";

/**
 * Maximum number of waiting tasks that are read for a joining client. Few tasks wait for an answer at the same time.
 */
const MAX_OTHERS = 8;

/** The session that a live endpoint shares with all clients, and its open task. */
export interface SharedSession {
  readonly host: SessionHost;
  readonly taskId: string;
}

/** A task and the session that it belongs to. */
export interface FoundTask {
  readonly host: SessionHost;
  readonly taskId: string;
  /** Name of the dialect in which the task was created; absent for A2A. */
  readonly dialect?: string;
}

/**
 * Gets a task. Throws `task-not-found` if the caller may not use the task's session or, on a live endpoint,
 * if this is not the shared session. Throws `forbidden` if the caller's role in the session is too low, or a
 * grant has ended.
 */
export async function getTaskForCaller(taskId: string, context: RpcContext): Promise<FoundTask> {
  const { sessions, caller } = context;
  const shared = await context.shared?.();
  if (shared === undefined) {
    const { host, task } = await sessions.getTask(taskId, caller);
    await admitToSession(host.session, context);
    host.log.subscribers.noteRequest(caller);
    return toFound(host, task);
  }
  if (shared.taskId === taskId) return shared;
  // Clients of a live endpoint may use all tasks of the shared session, such as commands, but no task of another
  // session.
  const { contextId, owner } = shared.host.session;
  const task = await sessions.findTask(taskId);
  if (task?.owner === owner && task.contextId === contextId) return toFound(shared.host, task);
  throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
}

function toFound(host: SessionHost, { taskId, dialect }: TaskRecord): FoundTask {
  return { host, taskId, ...(dialect !== undefined && { dialect }) };
}

/** Returns the dialect of the answer to a request about a task. */
export function dialectOf({ dialect }: Pick<FoundTask, "dialect">, context: RpcContext): Dialect {
  return context.dialects.ofTask(dialect, variantOf(context));
}

/**
 * Throws `forbidden` if the caller's role in a session does not include the right that the call needs. The call of a
 * guest ends when the guest's grant ends.
 */
export async function admitToSession(session: SessionRecord, context: RpcContext): Promise<void> {
  const { caller, right, shared, sessions, access, endWith } = context;
  // All clients of a live endpoint share its session, each with the role of its credential.
  if (shared !== undefined) return checkRole(caller, right);
  const role = await sessions.roleOn(session, caller);
  if (role === undefined) throw new ProtocolError("task-not-found", "there is no such session");
  if (session.owner === caller.user) return checkRole({ role }, right);
  checkSessionRole(role, right);
  const { contextId } = session;
  if (access !== undefined) endWith((over) => access.watch({ contextId, user: caller.user }, over));
}

/** Finds a session that the caller may use, or the shared session on a live endpoint. */
export async function findSession(
  contextId: string,
  context: RpcContext,
): Promise<SessionHost | undefined> {
  const { shared, sessions, caller } = context;
  const live = await shared?.();
  if (live === undefined) {
    const host = await sessions.findSession(contextId, caller);
    if (host !== undefined) await admitToSession(host.session, context);
    return host;
  }
  return live.host.session.contextId === contextId ? live.host : undefined;
}

/**
 * Finds the tasks beside the shared task, such as commands, whose open questions were asked at or before a
 * position. A client that joins at this position would not get these questions from the log. (CLI-17)
 */
export async function findOtherQuestions(
  { host, taskId: shared }: SharedSession,
  { tasks }: Pick<RpcContext, "tasks">,
  position: number,
): Promise<readonly TaskView[]> {
  const { contextId, owner } = host.session;
  const state = "input-required";
  const page = await tasks?.listTasks({ owner, contextId, state, limit: MAX_OTHERS });
  const others = (page?.tasks ?? []).filter(
    ({ taskId, lastPosition }) => taskId !== shared && lastPosition <= position,
  );
  return await Promise.all(others.map(({ taskId }) => host.log.view(taskId)));
}

/** Gets a task. Throws if the caller also named a context, but the task belongs to another context. */
export async function getTaskInContext(
  { taskId, contextId }: { readonly taskId: string; readonly contextId: string | undefined },
  context: RpcContext,
): Promise<FoundTask> {
  const found = await getTaskForCaller(taskId, context);
  if (contextId !== undefined && contextId !== found.host.log.contextId) {
    failAt("message.contextId", `the task ${taskId} belongs to another context`);
  }
  return found;
}
