import { SetupError } from "@dt/schema";
import { isValidToken } from "../access/auth/token-validity.js";
import { isLoopback } from "../access/source/loopback-guard.js";
import { toClock } from "../clock.js";
import type { AgentServerOptions } from "./agent-server-options.js";

/** Advice for dt-server, whose command creates tokens. */
const CREATE_TOKEN =
  "create a token first (dt-server token create --user NAME --name DEVICE --role admin), or use 127.0.0.1";

/**
 * Throws if other machines could connect to a server, but nobody could authenticate. The error ends with `advice`.
 * (SEC-02)
 */
export async function checkListenAddress(
  options: Pick<AgentServerOptions, "host" | "authenticate" | "jwt" | "join" | "store" | "now"> & {
    readonly advice?: string;
  },
): Promise<void> {
  const { host = "127.0.0.1", store, advice = CREATE_TOKEN } = options;
  if (isLoopback(host)) return;
  // With `join`, devices can get tokens by pairing while the server runs.
  if ([options.authenticate, options.jwt, options.join].some((way) => way !== undefined)) return;
  const at = toClock(options).now().toISOString();
  if ((await store.listTokens()).some((token) => isValidToken(token, at))) return;
  throw new SetupError(
    `listening on ${host} lets other machines connect, which needs authentication; ${advice}`,
  );
}
