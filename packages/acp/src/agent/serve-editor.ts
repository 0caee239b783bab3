import path from "node:path";
import { setImmediate } from "node:timers";
import {
  type AgentApp,
  agent,
  type McpServer,
  methods,
  RequestError,
} from "@agentclientprotocol/sdk";
import { ProtocolError } from "@dt/schema";
import { decodeServers } from "../mapping/decode-servers.js";
import { CONFIG_IDS } from "../mapping/session-options.js";
import { type LineLimits, openJsonLines, type PeerBytes } from "../stdio/json-line-stream.js";
import { createEditor, type Editor } from "./editor.js";
import type { EditorHost, OpenRequest } from "./editor-host.js";
import {
  createEditorSessions,
  type EditorSessions,
  type FollowedSession,
} from "./editor-sessions.js";
import { readOffer, toInitializeResponse } from "./initialize.js";
import { toRequestError } from "./to-request-error.js";

/** A connection to an editor. */
export interface EditorConnection {
  /** Resolves when the editor is gone and its sessions are closed. */
  readonly closed: Promise<void>;
  /** Closes the sessions, then the connection. */
  close(): Promise<void>;
}

/** Options of {@link serveEditor}. */
export interface ServeEditorOptions {
  readonly host: EditorHost;
  /** Called with faults that no reply reports. */
  readonly onFault: (reason: unknown) => void;
  readonly limits?: LineLimits;
}

/** Serves an agent to one editor, in version 1 of the Agent Client Protocol. */
export function serveEditor(bytes: PeerBytes, options: ServeEditorOptions): EditorConnection {
  const { onFault, limits } = options;
  const link: EditorLink = { ...options };
  const app = agent({ name: options.host.name });
  serveSetUp(app, link);
  serveSessions(app, link);
  serveTurns(app, link);
  const connection = app.connect(openJsonLines(bytes, limits));
  const end = async () => await link.sessions?.closeAll();
  const closed = connection.closed.then(end).catch(onFault);
  return {
    closed,
    async close() {
      await end().catch(onFault);
      connection.close();
      await closed;
    },
  };
}

/** The state of a connection. Editor and sessions exist after `initialize`. */
interface EditorLink extends ServeEditorOptions {
  editor?: Editor;
  sessions?: EditorSessions;
}

/** Runs a handler, and converts its errors for the editor. */
function guard<TContext, TReply>(
  { onFault }: EditorLink,
  handle: (context: TContext) => Promise<TReply>,
): (context: TContext) => Promise<TReply> {
  return async (context) => {
    try {
      return await handle(context);
    } catch (reason) {
      throw toRequestError(reason, onFault);
    }
  };
}

function serveSetUp(app: AgentApp, link: EditorLink): void {
  const { host, onFault } = link;
  app
    .onRequest(methods.agent.initialize, ({ params, client }) => {
      const offer = readOffer(params);
      // A second `initialize` must not change the capabilities that open sessions rely on.
      link.editor ??= createEditor(client, offer);
      link.sessions ??= createEditorSessions(host, link.editor, onFault);
      return toInitializeResponse(host, offer);
    })
    .onRequest(
      methods.agent.authenticate,
      guard(link, async ({ params: { methodId } }) => {
        if (host.terminalSetups.some(({ id }) => id === methodId)) return {};
        throw new ProtocolError("invalid-message", `there is no authentication ${methodId}`);
      }),
    );
}

function serveSessions(app: AgentApp, link: EditorLink): void {
  const { host } = link;
  const { session } = methods.agent;
  app
    .onRequest(
      session.new,
      guard(link, async ({ params }) => {
        const { request, named } = toOpenRequest(params, link);
        const opened = await sessionsOf(link).create(request);
        named(opened.sessionId);
        return { sessionId: opened.sessionId, ...begin(opened) };
      }),
    )
    .onRequest(
      session.load,
      guard(link, async ({ params }) => {
        const opened = await resume(params, link);
        await opened.session.replay();
        return begin(opened);
      }),
    )
    .onRequest(
      session.resume,
      guard(link, async ({ params }) => begin(await resume(params, link))),
    )
    .onRequest(
      session.list,
      guard(link, async ({ params: { cwd, cursor } }) => {
        const { sessions, next } = await host.list({
          ...(cwd != null && { directory: cwd }),
          ...(cursor != null && { cursor }),
        });
        return {
          sessions: sessions.map(({ directory, ...listed }) => ({ ...listed, cwd: directory })),
          ...(next !== undefined && { nextCursor: next }),
        };
      }),
    )
    .onRequest(
      session.close,
      guard(link, async ({ params: { sessionId } }) => {
        await sessionsOf(link).close(sessionId);
        return {};
      }),
    )
    .onRequest(
      session.delete,
      guard(link, async ({ params: { sessionId } }) => {
        if (host.delete === undefined) throw RequestError.methodNotFound(session.delete);
        await sessionsOf(link).close(sessionId);
        await host.delete(sessionId);
        return {};
      }),
    );
}

function serveTurns(app: AgentApp, link: EditorLink): void {
  const { session } = methods.agent;
  app
    .onRequest(
      session.prompt,
      guard(link, async ({ params: { sessionId, prompt }, signal }) => ({
        stopReason: await sessionsOf(link).get(sessionId).prompt(prompt, signal),
      })),
    )
    .onNotification(
      session.cancel,
      guard(link, async ({ params: { sessionId } }) => {
        await sessionsOf(link).get(sessionId).cancel();
      }),
    )
    .onRequest(
      session.setMode,
      guard(link, async ({ params: { sessionId, modeId } }) => {
        await sessionsOf(link).get(sessionId).setOption(CONFIG_IDS.mode, modeId);
        return {};
      }),
    )
    .onRequest(
      session.setConfigOption,
      guard(link, async ({ params: { sessionId, configId, value } }) => {
        const session = sessionsOf(link).get(sessionId);
        return { configOptions: await session.setOption(configId, String(value)) };
      }),
    );
}

function sessionsOf({ sessions }: EditorLink): EditorSessions {
  // The SDK refuses every request before `initialize`.
  if (sessions === undefined) throw new ProtocolError("invalid-request", "call initialize first");
  return sessions;
}

/** Starts a session after the reply to the editor, which may not know the session's id before. */
function begin({ session }: FollowedSession) {
  setImmediate(() => session.start());
  return session.options();
}

interface OpeningParams {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
}

async function resume(
  params: OpeningParams & { readonly sessionId: string },
  link: EditorLink,
): Promise<FollowedSession> {
  const { request, named } = toOpenRequest(params, link);
  named(params.sessionId);
  return await sessionsOf(link).resume(params.sessionId, request);
}

/** Checks an editor's request to open a session. The caller calls `named` when it knows the session's id. */
function toOpenRequest(
  { cwd, mcpServers = [], additionalDirectories = [] }: OpeningParams,
  { editor }: EditorLink,
): { readonly request: OpenRequest; named(sessionId: string): void } {
  if (!path.isAbsolute(cwd)) {
    throw new ProtocolError("invalid-message", `cwd: ${cwd} is not an absolute path`);
  }
  if (additionalDirectories.length > 0) {
    throw new ProtocolError(
      "invalid-message",
      "additionalDirectories: a session has one directory; open another session for the others",
    );
  }
  let id = "";
  const files = editor?.filesOf(() => id);
  return {
    request: {
      directory: cwd,
      mcpServers: decodeServers(mcpServers),
      ...(files !== undefined && { files }),
    },
    named(sessionId) {
      id = sessionId;
    },
  };
}
