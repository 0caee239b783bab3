import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { abortableSleep } from "../../model/retry/abortable-sleep.js";
import type { HttpMcpServer } from "../../settings/servers/mcp-server-settings.js";
import { McpAddressRefused } from "../address/address-rules.js";
import { createGuardedFetch, RedirectRefused } from "../address/guarded-fetch.js";
import { createBoundedFetch } from "../bounds/bounded-fetch.js";
import { DEFAULT_MESSAGE_LIMITS } from "../bounds/message-limits.js";
import { isBadAnswer, reasonOf } from "../failure-reason.js";
import type { McpChannel, McpConnectOptions } from "../mcp-connection.js";
import { McpFailure } from "../mcp-failure.js";

const HANDSHAKE_TIMEOUT_MS = 30_000;
const PING_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Creates a channel to a URL. HTTP has no lasting connection, so a ping after an error checks the server. */
export function createHttpChannel(server: HttpMcpServer, options: McpConnectOptions): McpChannel {
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { ...server.headers } },
    fetch: createBoundedFetch(
      options.addressRules ? createGuardedFetch(options.addressRules) : fetch,
      DEFAULT_MESSAGE_LIMITS,
    ),
  });
  let fault: string | undefined;
  let isPinging = false;
  return {
    async open(client) {
      try {
        // The cast is needed because the SDK's class does not match its own interface exactly.
        const toServer = transport as Parameters<Client["connect"]>[0];
        await client.connect(toServer, { signal: options.signal, timeout: HANDSHAKE_TIMEOUT_MS });
      } catch (cause) {
        await client.close();
        throw new McpFailure(`could not be reached: ${reasonOf(cause)}`, {
          cause,
          isFinal: isRefusal(cause),
        });
      }
      client.onerror = (error) => void checkServer(error, client);
    },
    findFault: () => fault,
    silenceNote: () => "",
    async close(client) {
      const sleepAbort = new AbortController();
      const closed = transport.terminateSession().catch(() => {});
      await Promise.race([closed, abortableSleep(CLOSE_TIMEOUT_MS, sleepAbort.signal)]);
      sleepAbort.abort();
      await client.close();
    },
  };

  async function checkServer(error: Error, client: Client): Promise<void> {
    if (isPinging || fault !== undefined) return;
    isPinging = true;
    try {
      if (isBadAnswer(error)) fault = "answered with a message that is not MCP";
      else await client.ping({ timeout: PING_TIMEOUT_MS });
    } catch (reason) {
      fault = `could not be reached: ${reasonOf(reason)}`;
    } finally {
      isPinging = false;
    }
    // Closing the client ends the calls that still wait.
    if (fault !== undefined) await client.close();
  }
}

function isRefusal(reason: unknown): boolean {
  if (reason instanceof McpAddressRefused || reason instanceof RedirectRefused) return true;
  return reason instanceof StreamableHTTPError && [401, 403, 404].includes(reason.code ?? 0);
}
