import {
  type AgentSettings,
  isTerminalState,
  ProtocolError,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import type { Dialect } from "@dt/schema/wire";
import { checkOwnWorkspace, checkSettings } from "../../access/workspace-roots.js";
import type { SessionHost } from "../../sessions/session-host.js";
import type { IncomingPrompt } from "../messages/incoming.js";
import type { RpcContext } from "../rpc-context.js";
import { getTaskInContext, type SharedSession } from "../tasks/shared-session.js";

type Prompt = IncomingPrompt["content"];

/** The session that a prompt belongs to. If the prompt continues a task, also this task and its state. */
export interface PromptTarget {
  readonly host: SessionHost;
  readonly taskId?: string;
  readonly taskState?: TaskState;
}

/** Finds or creates the session of a prompt. */
export async function findPromptTarget(
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<PromptTarget> {
  const { taskId, contextId, content: prompt } = incoming;
  const shared = await context.shared?.();
  if (shared !== undefined && isForShared(incoming, shared)) {
    await checkSameWorkspace(prompt, shared.host, context);
    return shared;
  }
  if (taskId !== undefined) {
    const found = await getTaskInContext({ taskId, contextId }, context);
    const view = await found.host.log.view(taskId);
    checkContinuable(view, context);
    await checkSameWorkspace(prompt, found.host, context);
    return { ...found, taskState: view.state };
  }
  if (shared !== undefined) {
    throw new ProtocolError(
      "invalid-message",
      `message.contextId: this endpoint serves only the session ${shared.host.session.contextId}; leave the field out to join it`,
    );
  }
  const existing =
    contextId === undefined
      ? undefined
      : await context.sessions.findSession(contextId, context.caller);
  if (existing !== undefined) {
    await checkSameWorkspace(prompt, existing, context);
    return { host: existing };
  }
  return { host: await createSession(contextId ?? context.createId(), prompt, context) };
}

// A message that names no task, or the shared task, belongs to the shared session. (CLI-10)
function isForShared({ taskId, contextId }: IncomingPrompt, shared: SharedSession): boolean {
  if (taskId !== undefined) return taskId === shared.taskId;
  return contextId === undefined || contextId === shared.host.log.contextId;
}

async function checkSameWorkspace(
  { settings }: Prompt,
  host: SessionHost,
  { workspaceRoots, shared, dialect }: RpcContext,
): Promise<void> {
  if (settings === undefined || !namesWorkspace(settings, dialect)) return;
  await checkOwnWorkspace(settings.workspacePath, {
    own: host.session.settings.workspacePath,
    roots: workspaceRoots,
    advice:
      shared === undefined
        ? "leave the field out, or start a new session"
        : "leave the field out to use it",
  });
}

async function createSession(
  contextId: string,
  { settings }: Prompt,
  context: RpcContext,
): Promise<SessionHost> {
  const { dialect, activation, defaultSettings, workspaceRoots, sessions, caller } = context;
  if (settings === undefined && dialect.traits.requiresSettings) {
    throw new ProtocolError(
      "invalid-message",
      `message.metadata["${activation.uris.developmentTool}"].workspace_path: required in the first message of a session`,
    );
  }
  const { workspacePath } = defaultSettings;
  const completed =
    settings === undefined || namesWorkspace(settings, dialect)
      ? settings
      : { ...settings, workspacePath };
  const checked = await checkSettings(completed ?? defaultSettings, workspaceRoots);
  const { isFromLoopback } = context;
  const named = settings === undefined ? checked : { ...checked, isFromLoopback };
  return await sessions.createSession({ contextId, settings: named }, caller);
}

// If settings are optional, they may also leave out the workspace. The session then works in the default workspace.
function namesWorkspace({ workspacePath }: AgentSettings, { traits }: Dialect): boolean {
  return workspacePath !== "" || traits.requiresSettings;
}

// RFC-27 lets a finished task continue. A2A 1.0 forbids it, so the client must start a new task of the session.
function checkContinuable(view: TaskView, { dialect }: RpcContext): void {
  if (!isTerminalState(view.state)) return;
  const { continuesEndedTasks, refusesCanceledTasks = false } = dialect.traits;
  if (continuesEndedTasks && !(refusesCanceledTasks && view.state === "canceled")) return;
  throw new ProtocolError(
    "unsupported-operation",
    `the task ${view.taskId} is ${view.state}; send the message with its contextId and without a taskId to continue in a new task`,
  );
}
