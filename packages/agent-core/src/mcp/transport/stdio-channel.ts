import path from "node:path";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { StdioMcpServer } from "../../settings/servers/mcp-server-settings.js";
import { reasonOf } from "../failure-reason.js";
import type { McpConnectOptions, McpLine } from "../mcp-connection.js";
import { McpFailure } from "../mcp-failure.js";
import { createStdioTransport } from "./stdio-transport.js";

/** How long a server may take to say hello; some are downloaded on their first start. */
const helloTimeoutMs = 60_000;

/** A line to a program. */
export function createStdioLine(server: StdioMcpServer, options: McpConnectOptions): McpLine {
  const transport = createStdioTransport({
    command: server.command,
    args: server.args ?? [],
    environment: { ...options.environment, ...server.env },
    directory: path.resolve(options.directory, server.cwd ?? "."),
    elapsedMs: options.elapsedMs,
  });
  return {
    async open(client) {
      try {
        await client.connect(transport, { signal: options.signal, timeout: helloTimeoutMs });
      } catch (cause) {
        await transport.close();
        if (cause instanceof McpFailure) throw cause;
        // A server that was merely silent ended only because it was closed just now.
        const isSilent = cause instanceof McpError && cause.code === ErrorCode.RequestTimeout;
        const reason = (isSilent ? undefined : transport.ending) ?? reasonOf(cause);
        const why = `did not say hello: ${reason}${stray()}`;
        throw new McpFailure(why, { cause });
      }
    },
    broken: () => transport.ending,
    silence: stray,
    close: () => transport.close(),
  };

  function stray(): string {
    const text = transport.strayOutput;
    return text === "" ? "" : `; it wrote what is not MCP: ${text}`;
  }
}
