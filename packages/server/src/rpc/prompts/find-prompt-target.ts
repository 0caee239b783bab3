import {
  type AgentSettings,
  failAt,
  isTerminalState,
  isUnprompted,
  ProtocolError,
  type SessionSettings,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import type { Dialect } from "@dt/schema/wire";
import { checkOwnWorkspace, checkSettings } from "../../access/workspace-roots.js";
import type { SessionHost } from "../../sessions/session-host.js";
import type { IncomingPrompt } from "../messages/incoming.js";
import type { RpcContext } from "../rpc-context.js";
import { type FoundTask, findSession, getTaskInContext } from "../tasks/shared-session.js";
import { setUpSession } from "./set-up-session.js";

type Prompt = IncomingPrompt["content"];

/** The session that a prompt belongs to, and the task if the prompt continues one. */
export interface PromptTarget {
  readonly host: SessionHost;
  readonly taskId?: string;
  readonly taskState?: TaskState;
  /** The task before the prompt, if the prompt continues one. */
  readonly view?: TaskView;
}

/** Finds or creates the session of a prompt. */
export async function findPromptTarget(
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<PromptTarget> {
  const { taskId, contextId, content: prompt } = incoming;
  const shared = await context.shared?.();
  // A message without a task id, or with the id of the shared task, belongs to the shared session. (CLI-10)
  if (shared !== undefined && (taskId ?? shared.taskId) === shared.taskId) {
    await checkSameWorkspace(prompt, shared.host, context);
    return shared;
  }
  if (taskId !== undefined) {
    const found = await getTaskInContext({ taskId, contextId }, context);
    const view = await found.host.log.view(taskId);
    checkContinuable(view, context);
    const host = await useSettings(prompt, { ...found, view }, context);
    return { ...found, host, view, taskState: view.state };
  }
  const existing = contextId === undefined ? undefined : await findSession(contextId, context);
  if (existing !== undefined) {
    await checkSameWorkspace(prompt, existing, context);
    return { host: existing };
  }
  return { host: await createSession(contextId ?? context.createId(), prompt, context) };
}

// Applies the settings of a prompt to the session of its task. A task may be created without settings, and get them
// with its first message. (protocol notes, Event flow example)
async function useSettings(
  prompt: Prompt,
  found: FoundTask & { readonly view: TaskView },
  context: RpcContext,
): Promise<SessionHost> {
  const { host, view } = found;
  if (prompt.settings !== undefined && isUnprompted(view)) {
    const settings = await completeSettings(prompt.settings, context);
    const isOther = settings.workspacePath !== host.session.settings.workspacePath;
    const created = isOther ? await setUpSession(found, { settings, view }, context) : undefined;
    if (created !== undefined) return created;
  }
  await checkSameWorkspace(prompt, host, context);
  return host;
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
    failAt(
      `message.metadata["${activation.uris.developmentTool}"].workspace_path`,
      "required in the first message of a session",
    );
  }
  const named =
    settings === undefined
      ? await checkSettings(defaultSettings, workspaceRoots)
      : await completeSettings(settings, context);
  return await sessions.createSession({ contextId, settings: named }, caller);
}

/** Checks the settings of a client. Adds a missing workspace, and whether the client is on this machine. */
async function completeSettings(
  settings: AgentSettings,
  { dialect, defaultSettings, workspaceRoots, isFromLoopback }: RpcContext,
): Promise<SessionSettings> {
  const { workspacePath } = namesWorkspace(settings, dialect) ? settings : defaultSettings;
  return {
    ...(await checkSettings({ ...settings, workspacePath }, workspaceRoots)),
    isFromLoopback,
  };
}

// Returns false if the settings of a prompt contain no workspace and the dialect allows that. The session then works in
// the default workspace.
function namesWorkspace({ workspacePath }: AgentSettings, { traits }: Dialect): boolean {
  return workspacePath !== "" || traits.requiresSettings;
}

// Throws if the task has ended and the dialect does not allow messages to ended tasks. Some dialects allow them
// (RFC-27). In others, such as A2A 1.0, the client must start a new task of the session.
function checkContinuable(view: TaskView, { dialect }: RpcContext): void {
  if (!isTerminalState(view.state)) return;
  const { continuesEndedTasks, refusesCanceledTasks = false } = dialect.traits;
  if (continuesEndedTasks && !(refusesCanceledTasks && view.state === "canceled")) return;
  throw new ProtocolError(
    "unsupported-operation",
    `the task ${view.taskId} is ${view.state}; send the message with its contextId and without a taskId to continue in a new task`,
  );
}
