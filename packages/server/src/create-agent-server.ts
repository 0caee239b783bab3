import { silentLogger } from "./logging/logger.js";
import type { AgentServer, AgentServerOptions } from "./serving/agent-server-options.js";
import { toFaultLog } from "./serving/fault-log.js";
import { checkHost, startServer } from "./serving/start-server.js";
import { openSessionRegistry } from "./sessions/session-registry.js";

/** Starts to serve an agent over A2A. */
export async function createAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  checkHost(options);
  const onFault = toFaultLog(options.logger ?? silentLogger, options.onFault);
  const sessions = openSessionRegistry({ ...options, onFault });
  return await startServer({ ...options, onFault, sessions, lifecycle: sessions });
}
