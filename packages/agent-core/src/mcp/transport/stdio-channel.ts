import path from "node:path";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { StdioMcpServer } from "../../settings/servers/mcp-server-settings.js";
import { reasonOf } from "../failure-reason.js";
import type { McpChannel, McpConnectOptions } from "../mcp-connection.js";
import { McpFailure } from "../mcp-failure.js";
import { createStdioTransport } from "./stdio-transport.js";

/** The handshake may take this long, because npx downloads a server at its first start. */
const HANDSHAKE_TIMEOUT_MS = 60_000;

/** Creates a channel to a program. */
export function createStdioChannel(server: StdioMcpServer, options: McpConnectOptions): McpChannel {
  const transport = createStdioTransport({
    command: server.command,
    args: server.args ?? [],
    environment: { ...options.environment, ...server.env },
    directory: path.resolve(options.directory, server.cwd ?? "."),
    elapsedMs: options.elapsedMs,
    sandbox: options.sandbox,
  });
  return {
    async open(client) {
      try {
        await client.connect(transport, { signal: options.signal, timeout: HANDSHAKE_TIMEOUT_MS });
      } catch (cause) {
        await transport.close();
        if (cause instanceof McpFailure) throw cause;
        // After a timeout, `ending` does not explain the failure, because `close` above ended the program.
        const isTimeout = cause instanceof McpError && cause.code === ErrorCode.RequestTimeout;
        const reason = (isTimeout ? undefined : transport.ending) ?? reasonOf(cause);
        throw new McpFailure(`did not complete the handshake: ${reason}${describeStray()}`, {
          cause,
        });
      }
    },
    findFault: () => transport.ending,
    silenceNote: describeStray,
    close: () => transport.close(),
  };

  function describeStray(): string {
    const text = transport.strayOutput;
    return text === "" ? "" : `; its output is not MCP: ${text}`;
  }
}
