import { createCredentialBook } from "./access/credential-book.js";
import { createSessionAccess } from "./access/grants/session-access.js";
import { toClock } from "./clock.js";
import { silentLogger } from "./logging/logger.js";
import { openServerPush } from "./push/open-push.js";
import { deriveSecretKeys } from "./secrets/secret-keys.js";
import { createSecretVault } from "./secrets/secret-vault.js";
import type { AgentServer, AgentServerOptions } from "./serving/agent-server-options.js";
import { checkListenAddress } from "./serving/check-listen-address.js";
import { toFaultLog } from "./serving/fault-log.js";
import { createRemoteCredentials } from "./sessions/instances/remote-credentials.js";
import { openSessionRegistry } from "./sessions/session-registry.js";

/** Starts a server that serves an agent over A2A. If the server cannot start, its store is closed. */
export async function createAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  try {
    return await start(options);
  } catch (reason) {
    await options.store.close();
    throw reason;
  }
}

async function start(options: AgentServerOptions): Promise<AgentServer> {
  await checkListenAddress(options);
  const { logger = silentLogger } = options;
  const onFault = toFaultLog(logger, options.onFault);
  // The module is loaded lazily, because a terminal that serves nobody does not need it.
  const { startServer } = await import("./serving/start-server.js");
  const clock = toClock(options);
  const vault = createSecretVault(options.secretKeys && deriveSecretKeys(options.secretKeys));
  const push = openServerPush(options, { logger, clock, onFault, vault });
  const credentials = createCredentialBook(clock);
  const { instances } = options.store;
  const remoteCredentials =
    instances &&
    createRemoteCredentials({
      shared: instances.credentials,
      isAliveHere: credentials.isAlive,
      onFault,
    });
  const access = createSessionAccess({
    store: options.store,
    clock,
    isCredentialAlive: (credential) =>
      credentials.isAlive(credential) || remoteCredentials?.isAlive(credential) === true,
    onEnded: (key) => void sessions.withdrawPrompts(key).catch(onFault),
    onFault,
  });
  const sessions = openSessionRegistry({ ...options, access, vault, onFault, remoteCredentials });
  if (push !== undefined) sessions.subscribeToCommits(push.sender.notify);
  return await startServer({
    ...options,
    onFault,
    sessions,
    credentials,
    access,
    ...(push !== undefined && { pushes: push.configs }),
    lifecycle: {
      async recover() {
        await sessions.recover();
        void push?.sender.start();
      },
      sweep: () => sessions.sweep(),
      drain: () => sessions.drain(),
      async close() {
        // Sessions may commit events after the sender has closed. The next server with the same store delivers them.
        await push?.sender.close();
        access.close();
        remoteCredentials?.close();
        await sessions.close();
      },
    },
  });
}
