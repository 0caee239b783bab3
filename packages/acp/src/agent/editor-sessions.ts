import { RequestError } from "@agentclientprotocol/sdk";
import { ProtocolError } from "@dt/schema";
import type { Editor } from "./editor.js";
import type { EditorHost, EditorSession, OpenRequest } from "./editor-host.js";
import { type OpenSession, openSession } from "./open-session.js";

/** The sessions that an editor has open. */
export interface EditorSessions {
  create(request: OpenRequest): Promise<FollowedSession>;
  /** Opens a stored session. A session that is open already is followed from the beginning. */
  resume(sessionId: string, request: OpenRequest): Promise<FollowedSession>;
  /** Returns an open session. Throws the error `-32002` if no session with this id is open. */
  get(sessionId: string): OpenSession;
  /** Ends a session; does nothing if it is not open. */
  close(sessionId: string): Promise<void>;
  closeAll(): Promise<void>;
}

/** A session, with its id. */
export interface FollowedSession {
  readonly sessionId: string;
  readonly session: OpenSession;
}

/** Maximum number of sessions that an editor may have open. Each has an agent with its MCP servers. */
const MAX_OPEN_SESSIONS = 64;

/** Creates the sessions of an editor; none is open yet. */
export function createEditorSessions(
  host: EditorHost,
  editor: Editor,
  onFault: (reason: unknown) => void,
): EditorSessions {
  const open = new Map<string, OpenSession>();
  // Requests to open and close sessions take effect one after another.
  let earlier: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function inOrder<TResult>(work: () => Promise<TResult>): Promise<TResult> {
    const result = earlier.then(work);
    earlier = result.catch(() => {});
    return result;
  }

  /** Stops following a session and returns it; undefined if the session is not open. */
  async function findDetached(sessionId: string): Promise<EditorSession | undefined> {
    const session = open.get(sessionId);
    open.delete(sessionId);
    return await session?.detach();
  }

  async function add(opening: () => Promise<EditorSession>): Promise<FollowedSession> {
    if (isClosed) throw new ProtocolError("agent-busy", "dt is closing");
    if (open.size >= MAX_OPEN_SESSIONS) {
      throw new ProtocolError(
        "agent-busy",
        `${MAX_OPEN_SESSIONS} sessions are open; close one of them first`,
      );
    }
    const opened = await opening();
    const { contextId: sessionId } = opened.face;
    try {
      const session = await openSession(editor, opened, onFault);
      open.set(sessionId, session);
      return { sessionId, session };
    } catch (reason) {
      await opened.face.close();
      throw reason;
    }
  }

  async function close(sessionId: string): Promise<void> {
    const session = open.get(sessionId);
    open.delete(sessionId);
    await session?.close();
  }

  return {
    create: (request) => inOrder(() => add(() => host.open(request))),
    resume: (sessionId, request) =>
      inOrder(() =>
        add(async () => {
          const found = (await findDetached(sessionId)) ?? (await host.resume(sessionId, request));
          if (found === undefined) throw RequestError.sessionNotFound(sessionId);
          return found;
        }),
      ),
    get(sessionId) {
      const session = open.get(sessionId);
      if (session === undefined) throw RequestError.sessionNotFound(sessionId);
      return session;
    },
    close: (sessionId) => inOrder(() => close(sessionId)),
    async closeAll() {
      isClosed = true;
      await inOrder(async () => {
        await Promise.all([...open.keys()].map(close));
      });
    },
  };
}
