import { isLoopback } from "../access/source/loopback-guard.js";
import type { AgentServerOptions } from "./agent-server-options.js";

/** Options that decide whether requests from this machine need a token. */
export type AuthOptions = Pick<
  AgentServerOptions,
  "host" | "publicUrl" | "allowedHosts" | "isAuthRequired"
>;

/**
 * Returns true if even requests from this machine need a token: the operator wants it, or other machines may reach the
 * server. It does not matter whether tokens exist.
 */
export function requiresAuth(options: AuthOptions): boolean {
  const { host = "127.0.0.1", publicUrl, allowedHosts = [], isAuthRequired = false } = options;
  const isReachable = !isLoopback(host) || publicUrl !== undefined || allowedHosts.length > 0;
  return isAuthRequired || isReachable;
}
