import { silentLogger } from "../logging/logger.js";
import type { AgentServer } from "./agent-server-options.js";
import { closeGracefully } from "./close-gracefully.js";
import { createListener, type Listener } from "./create-listener.js";
import { listen, urlOf } from "./listen.js";
import type { ServerOptions } from "./server-options.js";

const SWEEP_MS = 30_000;

/** Starts a server for open sessions. */
export async function startServer(options: ServerOptions): Promise<AgentServer> {
  const { host = "127.0.0.1", port = 0, logger = silentLogger, sessions, lifecycle } = options;
  const listener = createListener(options);
  const { server, state, countClients } = listener;
  try {
    await lifecycle.recover();
    state.url = urlOf(await listen(server, host, port));
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
  const { url } = state;
  logger.info({ url }, "listening");
  const stopSweeping = startSweeping(options, listener);

  async function close(graceMs: number): Promise<void> {
    state.isStopping = true;
    stopSweeping();
    logger.info({ graceMs, ...sessions.counters }, "stopping");
    await closeGracefully({ ...listener, sessions: lifecycle, graceMs });
    logger.info({}, "stopped");
  }

  let closing: Promise<void> | undefined;
  return {
    url,
    port: Number(new URL(url).port),
    countClients,
    countTurns: () => sessions.counters.working,
    close({ graceMs = 0 } = {}) {
      closing ??= close(graceMs);
      return closing;
    },
  };
}

/** Ends idle credentials and sweeps sessions, now and at intervals. Returns a function that ends the sweeping. */
function startSweeping(
  { credentials, lifecycle, onFault = () => {}, sweepMs = SWEEP_MS }: ServerOptions,
  { notifyClientsChange }: Pick<Listener, "notifyClientsChange">,
): () => void {
  const sweep = () => {
    credentials.sweep();
    void lifecycle.sweep().catch(onFault);
  };
  // The mode of a client ends with its credential.
  const stopObserving = credentials.subscribeToEnds(notifyClientsChange);
  // The first sweep runs at once, because sessions may have expired while no server ran.
  sweep();
  const timer = setInterval(sweep, sweepMs).unref();
  return () => {
    clearInterval(timer);
    stopObserving();
  };
}
