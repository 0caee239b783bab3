import { realpath } from "node:fs/promises";
import type { EditorHost, EditorSession, OpenRequest } from "@dt/acp";
import { createTrust, trustFile } from "@dt/agent-core";
import { ProtocolError } from "@dt/schema";
import type { SessionStore } from "@dt/server";
import { CLI_VERSION } from "../cli-version.js";
import { type LiveFaceOptions, openLiveFace } from "../open-live-face.js";
import { deleteStored } from "../sessions/stored-sessions.js";
import { listEditorSessions } from "./list-editor-sessions.js";
import { listModels } from "./list-models.js";
import { SETUP } from "./terminal-setup.js";

/** Options of {@link createLocalEditorHost}. */
export interface LocalEditorHostOptions
  extends Omit<LiveFaceOptions, "workspacePath" | "contextId" | "client" | "editorFiles"> {
  /** True to trust the directory of each session, in this run and in later runs. */
  readonly isTrusted: boolean;
}

/**
 * Owner of the sessions. It is the same as for sessions of a terminal, so that an editor and a terminal can
 * resume each other's sessions.
 */
const OWNER = "terminal";

/** Creates a host whose sessions run in this process, on one store. */
export function createLocalEditorHost(options: LocalEditorHostOptions): EditorHost {
  const { store, home, externalAgent } = options;

  async function open(
    request: OpenRequest,
    { directory, contextId }: { readonly directory: string; readonly contextId?: string },
  ): Promise<EditorSession> {
    if (options.isTrusted) await createTrust({ file: trustFile(home) }).trust(directory);
    const { mcpServers, files } = request;
    const { face } = await openLiveFace({
      ...options,
      workspacePath: directory,
      client: { workspacePath: directory, allowedTools: [], mcpServers: { ...mcpServers } },
      ...(contextId !== undefined && { contextId }),
      ...(files !== undefined && { editorFiles: files }),
    });
    // With an external agent, the editor gets no list of models: `/model` lists the agent's own models.
    const models = externalAgent === undefined ? listModels(options) : [];
    return { face, directory, models };
  }

  return {
    name: "dt",
    version: CLI_VERSION,
    // With an external agent, the set-up is not offered, because the set-up chooses a model for dt's own agent.
    terminalSetups: externalAgent === undefined ? [SETUP] : [],
    async open(request) {
      return await open(request, { directory: await findDirectory(request.directory) });
    },
    async resume(contextId, request) {
      const stored = await findOwn(store, contextId);
      if (stored === undefined) return undefined;
      const { workspacePath: directory } = stored.settings;
      await checkDirectory(request.directory, directory);
      return await open(request, { directory, contextId });
    },
    list: (query) => listEditorSessions(store, { ...query, owner: OWNER }),
    async delete(contextId) {
      if ((await findOwn(store, contextId)) === undefined) return false;
      await deleteStored(store, contextId, options);
      return true;
    },
  };
}

async function findOwn(store: SessionStore, contextId: string) {
  const stored = await store.findSession(contextId);
  return stored?.owner === OWNER ? stored : undefined;
}

async function findDirectory(directory: string): Promise<string> {
  return await realpath(directory).catch((cause: unknown) => {
    throw new ProtocolError("invalid-message", `cwd: there is no directory ${directory}`, {
      cause,
    });
  });
}

/** Throws if the editor opens a session in another directory than the session's own. */
async function checkDirectory(named: string, own: string): Promise<void> {
  const real = await realpath(named).catch(() => named);
  if (real === own) return;
  throw new ProtocolError(
    "invalid-message",
    `cwd: the session belongs to ${own}; open it from there instead of ${named}`,
  );
}
