import { checkClientSettings, ProtocolError } from "@dt/schema";
import { decodeReferenceTask, encodeCreatedTask, type ReferenceTaskRequest } from "@dt/schema/wire";
import { checkRole } from "../../access/auth/role-table.js";
import { checkOwnWorkspace, checkWorkspace } from "../../access/workspace-roots.js";
import type { SessionHost } from "../../sessions/session-host.js";
import { checkIds } from "../messages/check-ids.js";
import { withDialect } from "../messages/with-dialect.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "../tasks/shared-session.js";

/** Dialect of tasks that gemini-cli's own clients create. These clients expect a bare task id as the response. */
const GEMINI = { name: "gemini" };

/**
 * `POST /tasks`: creates a task that waits for its first message, in a new or an existing session. (server reference,
 * "HTTP API")
 */
export async function createReferenceTask(
  params: unknown,
  context: RpcContext,
): Promise<RpcOutcome> {
  const { contextId = context.createId(), ...request } = decodeReferenceTask(params);
  checkIds({ contextId }, "");
  const { sessions, caller } = context;
  const { autoExecute, settings } = request;
  const right = autoExecute === true ? "auto-execute" : context.right;
  checkRole(caller, right);
  checkClientSettings(context.policy ?? {}, { ...settings, autoExecute });
  const known = await findSession(contextId, { ...context, right });
  const { apiKey, isBareId } = request;
  if (known !== undefined) {
    await checkKnown(known, request, context);
    if (apiKey !== undefined) await sessions.setModelKey(contextId, apiKey);
  }
  const host = await openSession(contextId, request, context);
  const taskId = context.createId();
  const dialect = isBareId ? GEMINI : context.dialect;
  const mode = autoExecute === true ? { taskMode: "yolo" as const } : {};
  await withDialect({ log: host.log, taskId, dialect }, () =>
    host.agent.openTask(taskId, caller, mode),
  );
  const { state } = await host.log.view(taskId);
  const result = isBareId ? taskId : encodeCreatedTask({ taskId, contextId, state });
  return { type: "result", result };
}

/** Creates the session, or finds the existing one. */
async function openSession(
  contextId: string,
  { settings, workspacePath, apiKey }: ReferenceTaskRequest,
  { sessions, caller, defaultSettings, workspaceRoots, isFromLoopback }: RpcContext,
): Promise<SessionHost> {
  const named = workspacePath ?? defaultSettings.workspacePath;
  const workspace = await checkWorkspace(named, workspaceRoots);
  return await sessions.createSession(
    {
      contextId,
      settings: {
        ...defaultSettings,
        ...settings,
        workspacePath: workspace,
        isFromLoopback,
        ...(apiKey !== undefined && { hasModelKey: true }),
      },
      ...(apiKey !== undefined && { modelKey: apiKey }),
    },
    caller,
  );
}

/** Refuses settings that differ from those of an existing session. */
async function checkKnown(
  { session }: SessionHost,
  { workspacePath, settings, apiKey }: ReferenceTaskRequest,
  { workspaceRoots, caller }: RpcContext,
): Promise<void> {
  const { settings: own } = session;
  if (apiKey !== undefined && session.owner !== caller.user) {
    throw refused("agentSettings.apiKey", "only the owner of the session can replace its key");
  }
  if (workspacePath !== undefined) {
    await checkOwnWorkspace(workspacePath, {
      own: own.workspacePath,
      roots: workspaceRoots,
      advice: "leave the field out, or choose another contextId",
    });
  }
  if (settings.model !== undefined && settings.model !== own.model) {
    throw refused(
      "agentSettings.model",
      `this session began with ${own.model ?? "the server's model"}`,
    );
  }
  if (apiKey !== undefined && own.hasModelKey !== true) {
    throw refused("agentSettings.apiKey", "this session began with the key of the server");
  }
}

function refused(path: string, reason: string): ProtocolError {
  const advice = "leave the field out, or choose another contextId";
  return new ProtocolError("invalid-message", `${path}: ${reason}; ${advice}`, { data: { path } });
}
