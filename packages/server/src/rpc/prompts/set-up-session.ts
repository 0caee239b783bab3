import { isDeepStrictEqual } from "node:util";
import { isUnprompted, type SessionSettings, type TaskView } from "@dt/schema";
import { DEFAULT_DIALECT } from "@dt/schema/wire";
import { checkSettings } from "../../access/workspace-roots.js";
import type { SessionHost } from "../../sessions/session-host.js";
import { withDialect } from "../messages/with-dialect.js";
import type { RpcContext } from "../rpc-context.js";
import type { FoundTask } from "../tasks/shared-session.js";

/**
 * Gives a session the settings of its first message. The session must have been created without settings, and
 * must have one task, no prompt and no push config. Returns undefined for any other session, because a
 * session cannot change its workspace.
 *
 * A stored session never changes its settings, so the session is created again with the same ids.
 */
export async function setUpSession(
  found: FoundTask,
  { settings, view }: { readonly settings: SessionSettings; readonly view: TaskView },
  context: RpcContext,
): Promise<SessionHost | undefined> {
  const { taskId, dialect = DEFAULT_DIALECT } = found;
  const { sessions, caller } = context;
  if (!isUnprompted(view) || !(await isUnset(found, context))) return undefined;
  const { contextId } = found.host.session;
  await sessions.deleteSession(contextId);
  const host = await sessions.createSession({ contextId, settings }, caller);
  await withDialect({ log: host.log, taskId, dialect: { name: dialect } }, () =>
    host.agent.openTask(taskId, caller),
  );
  return host;
}

/** Returns true if a session of the caller has the default settings, only this task and no push config. */
async function isUnset({ host, taskId }: FoundTask, context: RpcContext): Promise<boolean> {
  const { caller, tasks, pushes, defaultSettings, workspaceRoots } = context;
  const { contextId, owner, settings } = host.session;
  if (owner !== caller.user || tasks === undefined) return false;
  const { isFromLoopback: _, ...own } = settings;
  const initial = await checkSettings(defaultSettings, workspaceRoots);
  if (!isDeepStrictEqual(own, initial)) return false;
  const { tasks: all } = await tasks.listTasks({ owner, contextId, limit: 2 });
  // A session with a push config is not created again, because the config would be deleted with the session.
  return all.length === 1 && ((await pushes?.list(taskId)) ?? []).length === 0;
}
