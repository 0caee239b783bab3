import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ToolError } from "../errors/tool-error.js";
import type { Sleep } from "../model/retry/abortable-sleep.js";
import type { RetrySchedule } from "../model/retry/retry-schedule.js";
import {
  advanceMcpServer,
  type McpServerState,
  type McpServerStep,
  NEW_MCP_SERVER,
} from "./advance-mcp-server.js";
import { limitDepth } from "./bounds/limit-depth.js";
import type { McpCall, McpConnection, McpConnectOptions } from "./mcp-connection.js";
import { planReconnect, type Reconnect } from "./plan-reconnect.js";
import { createRedaction, type Redaction } from "./redaction.js";
import { runMcpConnection } from "./run-mcp-connection.js";

/** A server to which dt connects again after each failure. */
export interface SupervisedServer {
  readonly name: string;
  readonly state: McpServerState;
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly firstAttempt: Promise<void>;
  callTool(call: McpCall): Promise<CallToolResult>;
  /** Connects again to a server that was given up. */
  restart(): void;
  close(): Promise<void>;
}

/** Options of {@link superviseMcpServer}. */
export interface SuperviseOptions
  extends Omit<McpConnectOptions, "signal" | "onToolsChanged" | "onLost"> {
  readonly schedule: RetrySchedule;
  readonly sleep: Sleep;
  /** Returns a random number from 0 up to 1. */
  random(): number;
  onChange(): void;
}

/** Connects to a server, and reconnects after each failure until the server is closed or given up. */
export function superviseMcpServer(options: SuperviseOptions): SupervisedServer {
  const redaction = createRedaction(options.server);
  const closing = new AbortController();
  const { signal } = closing;
  let state = NEW_MCP_SERVER;
  let connection: McpConnection | undefined;
  let resume = () => {};
  let endFirstAttempt = () => {};
  const firstAttempt = new Promise<void>((resolve) => {
    endFirstAttempt = resolve;
  });

  function advance(step: McpServerStep): void {
    if (signal.aborted) return;
    state = advanceMcpServer(state, withoutSecrets(step, redaction));
    options.onChange();
  }

  async function connectOnce(attempt: number): Promise<Reconnect> {
    advance({ type: "connect" });
    const ended = await runMcpConnection({
      ...options,
      signal,
      onConnected(opened, tools) {
        connection = opened;
        advance({ type: "connected", tools, instructions: opened.instructions });
        endFirstAttempt();
      },
      onTools: (tools) => advance({ type: "list", tools }),
      onEnded() {
        connection = undefined;
      },
    });
    const { schedule } = options;
    return planReconnect(ended, { attempt, schedule, random: options.random() });
  }

  async function keepConnected(): Promise<void> {
    for (let attempt = 1; !signal.aborted; ) {
      const next = await connectOnce(attempt);
      if (signal.aborted) break;
      attempt = next.type === "retry" ? next.nextAttempt : 1;
      // This promise is created before `advance`, because `onChange` may restart the server at once.
      const resumed = new Promise<void>((resolve) => {
        resume = resolve;
      });
      advance({ type: next.type === "retry" ? "lose" : "give-up", error: next.error });
      endFirstAttempt();
      if (next.type === "retry") await options.sleep(next.delayMs, signal);
      else await resumed;
    }
    state = advanceMcpServer(state, { type: "lose", error: "was closed" });
    endFirstAttempt();
  }

  const ended = keepConnected();
  return {
    name: options.name,
    firstAttempt,
    get state() {
      return state;
    },
    async callTool(call) {
      if (connection === undefined) throw unavailable(options.name, state);
      return await callRedacted(connection, call, redaction);
    },
    restart: () => resume(),
    async close() {
      closing.abort();
      resume();
      await ended;
    },
  };
}

function withoutSecrets(step: McpServerStep, redaction: Redaction): McpServerStep {
  return "error" in step ? { ...step, error: redaction.error(step.error) } : step;
}

async function callRedacted(
  connection: McpConnection,
  call: McpCall,
  redaction: Redaction,
): Promise<CallToolResult> {
  const onProgress: McpCall["onProgress"] = (progress) =>
    call.onProgress(redaction.output(progress));
  try {
    return redaction.output(limitDepth(await connection.callTool({ ...call, onProgress })));
  } catch (reason) {
    if (!(reason instanceof ToolError)) throw reason;
    // The cause is dropped, because it may contain the secrets that are removed from the message.
    throw new ToolError(reason.type, redaction.error(reason.message));
  }
}

function unavailable(name: string, { status, error }: McpServerState): ToolError {
  const what = `the MCP server ${name} ${error ?? "is not connected"}`;
  const advice =
    status === "failed"
      ? "use another tool"
      : "it is being started again; try later, or continue without it";
  return new ToolError("mcp_server_unavailable", `${what}; ${advice}`);
}
