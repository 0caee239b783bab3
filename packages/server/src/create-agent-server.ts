import { defaultExtensionUris } from "@dt/schema";
import { defaultLimits } from "./access/limits.js";
import { silentLogger } from "./logging/logger.js";
import { openPush, type Push, type PushParts } from "./push/open-push.js";
import type { AgentServer, AgentServerOptions } from "./serving/agent-server-options.js";
import { checkHost } from "./serving/check-host.js";
import { toFaultLog } from "./serving/fault-log.js";
import { openSessionRegistry } from "./sessions/session-registry.js";

/** Starts to serve an agent over A2A. */
export async function createAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  checkHost(options);
  const logger = options.logger ?? silentLogger;
  const onFault = toFaultLog(logger, options.onFault);
  // Loaded when something is served: a terminal that serves nobody starts without it.
  const { startServer } = await import("./serving/start-server.js");
  const push = openPushOf(options, { logger, onFault });
  const sessions = openSessionRegistry({
    ...options,
    onFault,
    onCommitted: (commit) => push?.sender.notify(commit),
  });
  return await startServer({
    ...options,
    onFault,
    sessions,
    lifecycle: sessions,
    ...(push !== undefined && { callbacks: push }),
  });
}

function openPushOf(
  { push = {}, store, limits, uris = defaultExtensionUris }: AgentServerOptions,
  { logger, onFault }: Pick<PushParts, "logger" | "onFault">,
): Push | undefined {
  if (push === false) return undefined;
  const { maxPushConfigsPerTask: maxConfigsPerTask } = { ...defaultLimits, ...limits };
  return openPush(push, { store, uris, logger, onFault, maxConfigsPerTask });
}
