import type { CredentialBook } from "../access/credential-book.js";
import { silentLogger } from "../logging/logger.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import type { AgentServer } from "../serving/agent-server-options.js";
import { checkListenAddress } from "../serving/check-listen-address.js";
import { toFaultLog } from "../serving/fault-log.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { SessionRecord, SessionStore } from "../store/session-store.js";
import type { LiveHost } from "./live-host.js";
import { createLivePush } from "./live-push.js";
import type { LiveServerOptions } from "./live-session.js";

/** The servers of a live session. */
export interface LiveServing {
  serve(options: LiveServerOptions): Promise<AgentServer>;
  /** Closes every server. */
  close(): Promise<void>;
}

/** Options of {@link createLiveServing}. */
export interface LiveServingOptions {
  readonly session: SessionRecord;
  readonly taskId: string;
  readonly store: SessionStore;
  readonly sessions: SessionRegistry;
  readonly credentials: CredentialBook;
  readonly vault: SecretVault;
  readonly host: Pick<LiveHost, "current">;
}

/** Creates the servers of a live session. None runs before `serve` is called. */
export function createLiveServing(options: LiveServingOptions): LiveServing {
  const { session, taskId, store, sessions, credentials, vault, host } = options;
  const { contextId, settings } = session;
  const livePush = createLivePush({ contextId, store, sessions, vault });
  const servers = new Set<AgentServer>();
  return {
    async serve(serving) {
      await checkListenAddress({ ...serving, store, advice: "use 127.0.0.1" });
      const logger = serving.logger ?? silentLogger;
      const { startServer } = await import("../serving/start-server.js");
      const onFault = toFaultLog(logger, serving.onFault);
      const { pushes, close } = await livePush.open(serving, { logger, onFault });
      const server = await startServer({
        ...serving,
        onFault,
        store,
        sessions,
        credentials,
        ...(pushes !== undefined && { pushes }),
        // A server that stops closes only its push, because the session stays open.
        lifecycle: { recover: doNothing, sweep: doNothing, drain: doNothing, close },
        shared: async () => ({ host: await host.current(), taskId }),
        defaultSettings: settings,
        workspaceRoots: [settings.workspacePath],
      });
      servers.add(server);
      return {
        ...server,
        async close(closeOptions) {
          await server.close(closeOptions);
          servers.delete(server);
        },
      };
    },
    async close() {
      await Promise.all([...servers].map((server) => server.close()));
    },
  };
}

async function doNothing(): Promise<void> {}
