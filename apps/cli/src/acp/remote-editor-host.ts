import type { EditorHost, EditorSession, ListedSessions, OpenRequest } from "@dt/acp";
import { type AgentClient, connect, isProtocolError, type TaskHandle } from "@dt/client";
import { SetupError } from "@dt/schema";
import { CLI_VERSION } from "../cli-version.js";
import { findJoinedAs } from "../session/remote/find-joined-as.js";
import { findTokenFault } from "../session/remote/find-token-fault.js";
import { openRemoteFace } from "../session/remote/remote-face.js";

/** Options of {@link createRemoteEditorHost}. */
export interface RemoteEditorHostOptions {
  readonly url: string;
  readonly token: string | undefined;
  /**
   * Session that the editor joins when it first asks for a new session. Undefined to start a new session in
   * that case too.
   */
  readonly contextId: string | undefined;
  /** Directory of listed sessions whose agent does not say where they work. */
  readonly startDirectory: string;
  /** Name by which the agent knows this editor. Each session adds its number to the name. */
  readonly clientName: string;
}

/** Maximum number of tasks that are searched for sessions. */
const MAX_SEARCHED_TASKS = 200;

/** Creates a host whose sessions run in another process: a dt-server, or another dt. */
export function createRemoteEditorHost(options: RemoteEditorHostOptions): EditorHost {
  const { url, token, clientName, startDirectory } = options;
  let joined = options.contextId;
  let count = 0;

  async function connectAs(name: string): Promise<AgentClient> {
    try {
      return await connect(url, { clientName: name, ...(token ? { token } : {}) });
    } catch (reason) {
      throw findTokenFault(reason, url) ?? reason;
    }
  }

  /** Opens a session with its own connection, because closing the face of a session closes the connection. */
  async function open(
    request: OpenRequest,
    find: (client: AgentClient) => Promise<TaskHandle>,
  ): Promise<EditorSession> {
    count += 1;
    const name = `${clientName}-${count}`;
    const client = await connectAs(name);
    try {
      const handle = await find(client);
      const { contextId } = handle;
      // If the commands cannot be listed, the editor can still send prompts.
      const commands = await client.commands({ contextId }).catch(() => []);
      const joinedAs = await findJoinedAs(handle, name);
      const face = openRemoteFace({ client, handle, commands, url, ...joinedAs });
      const directory = handle.view().settings?.workspacePath || request.directory;
      return { face, directory, models: [] };
    } catch (reason) {
      client.close();
      throw reason;
    }
  }

  return {
    name: "dt",
    version: CLI_VERSION,
    terminalSetups: [],
    async open(request) {
      const contextId = joined;
      joined = undefined;
      return await open(request, (client) =>
        contextId === undefined ? startSession(client) : client.openSession(contextId),
      );
    },
    async resume(contextId, request) {
      try {
        return await open(request, (client) => client.openSession(contextId));
      } catch (reason) {
        if (isProtocolError(reason) && reason.code === "task-not-found") return undefined;
        throw reason;
      }
    },
    async list({ directory }) {
      const client = await connectAs(clientName);
      try {
        return await listSessions(client, directory ?? startDirectory);
      } finally {
        client.close();
      }
    },
  };
}

/** Starts a session with the command `/help`, as `dt attach` does, because a session begins with its first turn. */
async function startSession(client: AgentClient): Promise<TaskHandle> {
  const { task, message } = await client.run(["help"], "");
  if (task === undefined) throw new SetupError(`the agent could not start a session: ${message}`);
  return await client.openSession(task.contextId);
}

async function listSessions(client: AgentClient, directory: string): Promise<ListedSessions> {
  const found = new Map<string, ListedSessions["sessions"][number]>();
  let seen = 0;
  // A listed task has its title only together with an item of its history.
  const tasks = client.listTasks({ pageSize: 100, historyLength: 1 });
  for await (const { contextId, at, facts, settings } of tasks) {
    // The latest task comes first. It may be a command, which has no title.
    const known = found.get(contextId);
    const title = known?.title ?? facts?.title;
    const latest = known ?? {
      sessionId: contextId,
      directory: settings?.workspacePath || directory,
      ...(at !== "" && { updatedAt: at }),
    };
    found.set(contextId, { ...latest, ...(title && { title }) });
    seen += 1;
    if (seen >= MAX_SEARCHED_TASKS) break;
  }
  return { sessions: [...found.values()] };
}
