import { isObject, ProtocolError } from "@dt/schema";
import type { RpcContext } from "../rpc-context.js";
import type { SharedSession } from "./shared-session.js";

/** The sessions of an endpoint that serves several live sessions. */
export interface LiveSessions {
  /** All open sessions; the one that was opened first comes first. */
  all(): Promise<readonly SharedSession[]>;
}

/** Operations that must name their session if several sessions are open. */
const NEEDS_SESSION: readonly string[] = ["send", "stream", "execute-command"];

/**
 * Finds the live session of a call, and returns a context whose shared session is this session. A call names its
 * session by the context id or by the id of a task. Throws `task-not-found` if the id does not belong to an open
 * session. If several sessions are open, a message or a command must name its session. Other calls without an id go
 * to the session that was opened first.
 */
export async function withNamedSession(
  context: RpcContext,
  params: unknown,
  operation: string,
): Promise<RpcContext> {
  if (context.live === undefined) return context;
  const sessions = await context.live.all();
  const named = readNames(params);
  const found = await findNamed(sessions, named, context);
  const [first] = sessions;
  if (found === undefined && sessions.length > 1 && NEEDS_SESSION.includes(operation)) {
    const ids = sessions.map(({ host }) => host.session.contextId).join(", ");
    throw new ProtocolError(
      "invalid-message",
      `contextId: several sessions are open; name one of ${ids}`,
    );
  }
  const session = found ?? first;
  if (session === undefined) throw noSession();
  const { settings } = session.host.session;
  return {
    ...context,
    shared: async () => session,
    defaultSettings: settings,
    workspaceRoots: { directories: [settings.workspacePath] },
  };
}

/** The error of an endpoint without an open session. */
export function noSession(): ProtocolError {
  return new ProtocolError(
    "task-not-found",
    "no session is open here; open one in the editor first",
  );
}

interface Names {
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

async function findNamed(
  sessions: readonly SharedSession[],
  { contextId, taskId }: Names,
  context: RpcContext,
): Promise<SharedSession | undefined> {
  if (contextId !== undefined) {
    const found = sessions.find(({ host }) => host.session.contextId === contextId);
    if (found !== undefined) return found;
    throw new ProtocolError("task-not-found", `there is no session ${contextId}`);
  }
  if (taskId === undefined) return undefined;
  const own = sessions.find((session) => session.taskId === taskId);
  if (own !== undefined) return own;
  // The task may be a command, which runs in a task of its own.
  const task = await context.sessions.findTask(taskId);
  const found = sessions.find(({ host }) => host.session.contextId === task?.contextId);
  if (found !== undefined) return found;
  throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
}

/** Reads the context id and the task id in the parameters of any method, in the spelling of any version. */
function readNames(params: unknown): Names {
  if (!isObject(params)) return { contextId: undefined, taskId: undefined };
  const message = isObject(params.message) ? params.message : {};
  return {
    contextId: firstText(
      message.contextId,
      message.context_id,
      params.contextId,
      params.context_id,
    ),
    taskId: firstText(message.taskId, message.task_id, params.taskId, params.task_id, params.id),
  };
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
