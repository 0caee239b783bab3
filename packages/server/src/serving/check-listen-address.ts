import { SetupError } from "@dt/schema";
import { isLoopback } from "../access/source/loopback-guard.js";
import type { AgentServerOptions } from "./agent-server-options.js";

/** Throws if a server would listen on a public address without authentication. (SEC-02) */
export function checkListenAddress({
  host = "127.0.0.1",
  authenticate,
}: Pick<AgentServerOptions, "host" | "authenticate">): void {
  if (isLoopback(host) || authenticate !== undefined) return;
  throw new SetupError(
    `listening on ${host} lets other machines connect, which needs authentication; use 127.0.0.1, or the option authenticate of createAgentServer`,
  );
}
