import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sleep } from "../../model/retry/abortable-sleep.js";
import type { HttpMcpServer } from "../../settings/servers/mcp-server-settings.js";
import { AddressRefused } from "../address/address-rules.js";
import { createGuardedFetch, RedirectRefused } from "../address/guarded-fetch.js";
import { createBoundedFetch } from "../bounds/bounded-fetch.js";
import { defaultMessageLimits } from "../bounds/message-limits.js";
import { isBadAnswer, reasonOf } from "../failure-reason.js";
import type { McpConnectOptions, McpLine } from "../mcp-connection.js";
import { McpFailure } from "../mcp-failure.js";

const helloTimeoutMs = 30_000;
const pingTimeoutMs = 10_000;
const goodbyeMs = 1_000;

/** A line to an address. HTTP has no connection that could break: after any error the server is asked. */
export function createHttpLine(server: HttpMcpServer, options: McpConnectOptions): McpLine {
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { ...server.headers } },
    fetch: createBoundedFetch(
      options.addressRules ? createGuardedFetch(options.addressRules) : fetch,
      defaultMessageLimits,
    ),
  });
  let broken: string | undefined;
  let isAsking = false;
  return {
    async open(client) {
      try {
        // The SDK's class and its own interface differ in what may be undefined.
        const line = transport as Parameters<Client["connect"]>[0];
        await client.connect(line, { signal: options.signal, timeout: helloTimeoutMs });
      } catch (cause) {
        await client.close();
        throw new McpFailure(`could not be reached: ${reasonOf(cause)}`, {
          cause,
          isFinal: isRefusal(cause),
        });
      }
      client.onerror = (error) => void judge(error, client);
    },
    broken: () => broken,
    silence: () => "",
    async close(client) {
      const patience = new AbortController();
      const goodbye = transport.terminateSession().catch(() => {});
      await Promise.race([goodbye, sleep(goodbyeMs, patience.signal)]);
      patience.abort();
      await client.close();
    },
  };

  async function judge(error: Error, client: Client): Promise<void> {
    if (isAsking || broken !== undefined) return;
    isAsking = true;
    try {
      if (isBadAnswer(error)) broken = "answered with something that is not MCP";
      else await client.ping({ timeout: pingTimeoutMs });
    } catch (reason) {
      broken = `could not be reached: ${reasonOf(reason)}`;
    } finally {
      isAsking = false;
    }
    // Calls that wait on a broken line end with it.
    if (broken !== undefined) await client.close();
  }
}

function isRefusal(reason: unknown): boolean {
  if (reason instanceof AddressRefused || reason instanceof RedirectRefused) return true;
  return reason instanceof StreamableHTTPError && [401, 403, 404].includes(reason.code ?? 0);
}
