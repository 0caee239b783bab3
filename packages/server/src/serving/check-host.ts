import { isLoopback } from "../access/source/loopback-guard.js";
import { SetupError } from "../errors/setup-error.js";
import type { AgentServerOptions } from "./agent-server-options.js";

/** Refuses an address that would let strangers in; before anything is opened. (SEC-02) */
export function checkHost({
  host = "127.0.0.1",
  authenticate,
}: Pick<AgentServerOptions, "host" | "authenticate">): void {
  if (isLoopback(host) || authenticate !== undefined) return;
  throw new SetupError(
    `listening on ${host} lets others in; that needs authentication, and none is set up`,
  );
}
