import type { McpConnection, McpConnectOptions } from "./mcp-connection.js";
import { McpFailure } from "./mcp-failure.js";
import type { McpToolInfo } from "./mcp-tool-info.js";
import type { EndedConnection } from "./plan-reconnect.js";
import { watchConnection } from "./transport/connection-watch.js";
import { followSignal } from "./transport/follow-signal.js";

/** A connection to open, and callbacks for its events. */
export interface ConnectionRun extends Omit<McpConnectOptions, "onToolsChanged" | "onLost"> {
  onConnected(connection: McpConnection, tools: readonly McpToolInfo[]): void;
  /** Called with each new list of tools. */
  onTools(tools: readonly McpToolInfo[]): void;
  /** Called once when the connection has failed or ended, before it is closed. */
  onEnded(): void;
}

/** Connects to a server; resolves when the connection has failed or ended. */
export async function runMcpConnection(run: ConnectionRun): Promise<EndedConnection> {
  using following = followSignal(run.signal);
  const { signal } = following;
  const watch = watchConnection(signal);
  let connection: McpConnection | undefined;
  let connectedAt: number | undefined;
  let isEnded = false;
  try {
    // The module is imported only when it is needed, because it loads the SDK, which takes longer than
    // starting a session.
    const { connectMcpServer } = await import("./connect-mcp-server.js");
    connection = await connectMcpServer({ ...run, ...watch.handlers, signal });
    const tools = await Promise.race([connection.listTools(), watch.lost]);
    connectedAt = run.elapsedMs();
    run.onConnected(connection, tools);
    watch.onToolsChanged(() => void relist());
    return await watch.lost;
  } catch (reason) {
    const connectedMs = connectedAt === undefined ? 0 : run.elapsedMs() - connectedAt;
    return { failure: toFailure(reason), connectedMs };
  } finally {
    isEnded = true;
    run.onEnded();
    await connection?.close().catch(() => {});
  }

  async function relist(): Promise<void> {
    const tools = await connection?.listTools().catch(() => undefined);
    // A list that arrives late must not replace the list of the next connection.
    if (tools !== undefined && !isEnded) run.onTools(tools);
  }
}

function toFailure(reason: unknown): McpFailure {
  if (reason instanceof McpFailure) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  return new McpFailure(`cannot be used: ${message}`, { cause: reason });
}
