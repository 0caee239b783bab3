import { createCredentialBook } from "../access/credential-book.js";
import { toClock } from "../clock.js";
import { silentLogger } from "../logging/logger.js";
import { noSession } from "../rpc/tasks/live-sessions.js";
import type { AgentServer } from "../serving/agent-server-options.js";
import { checkListenAddress } from "../serving/check-listen-address.js";
import { toFaultLog } from "../serving/fault-log.js";
import { openSessionRegistry } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";
import type { LiveServerOptions, LiveSession } from "./live-session.js";
import {
  type LiveSessionOptions,
  openSharedSession,
  type ServableSession,
} from "./open-live-session.js";

/**
 * Options of {@link openLiveEndpoint}. Push is not available, because a sender of push serves either one live session
 * or a whole store.
 */
export interface LiveEndpointOptions extends Omit<LiveServerOptions, "push"> {
  /** The store of all sessions. The endpoint does not close it. */
  readonly store: SessionStore;
}

/** An endpoint at which clients join several live sessions of this process. Each session is a context. */
export interface LiveEndpoint extends Pick<AgentServer, "url" | "countClients" | "close"> {
  /** Opens a session that clients of the endpoint can join until it is closed. */
  openSession(options: Omit<LiveSessionOptions, "store" | "credentials">): Promise<LiveSession>;
}

/** Opens an endpoint without sessions. Closing it leaves the sessions open. */
export async function openLiveEndpoint(options: LiveEndpointOptions): Promise<LiveEndpoint> {
  const { store, logger = silentLogger } = options;
  const clock = toClock(options);
  const credentials = createCredentialBook(clock);
  const onFault = toFaultLog(logger, options.onFault);
  // Requests find the live sessions in `open` below. The endpoint uses this registry only to read the store.
  const sessions = openSessionRegistry({
    store,
    keepsStoreOpen: true,
    ...clock,
    isCredentialAlive: credentials.isAlive,
    onFault,
    openAgent: () => Promise.reject(noSession()),
  });
  const open = new Set<ServableSession>();
  const all = async () => await Promise.all([...open].map((session) => session.shared()));

  await checkListenAddress({ ...options, advice: "use 127.0.0.1" });
  const { startServer } = await import("../serving/start-server.js");
  const server = await startServer({
    ...options,
    onFault,
    sessions,
    credentials,
    lifecycle: { recover: doNothing, sweep: doNothing, drain: doNothing, close: sessions.close },
    live: { all },
    async shared() {
      const [first] = await all();
      if (first === undefined) throw noSession();
      return first;
    },
    // These settings are not used, because each call gets the settings of the session that it names.
    defaultSettings: { workspacePath: "", allowedTools: [], mcpServers: {} },
    workspaceRoots: [],
  });
  return {
    url: server.url,
    countClients: server.countClients,
    close: server.close,
    async openSession(sessionOptions) {
      const session = await openSharedSession({ ...sessionOptions, store, credentials });
      open.add(session);
      const { shared: _, ...live } = session;
      return {
        ...live,
        async close() {
          open.delete(session);
          await session.close();
        },
      };
    },
  };
}

async function doNothing(): Promise<void> {}
