import { ToolError } from "../errors/tool-error.js";
import { type RetrySchedule, retryDelayMs } from "../model/retry/retry-schedule.js";
import type { Sleep } from "../model/retry/sleep.js";
import {
  advanceMcpServer,
  type McpServerState,
  type McpServerStep,
  newMcpServer,
} from "./advance-mcp-server.js";
import { limitDepth } from "./bounds/limit-depth.js";
import type { ConnectOptions, McpCall, McpConnection } from "./mcp-connection.js";
import { McpFailure } from "./mcp-failure.js";
import { createRedaction } from "./redaction.js";
import { followSignal } from "./transport/follow-signal.js";
import { watchLine } from "./transport/line-watch.js";

/** One server that is kept connected. */
export interface SupervisedServer {
  readonly name: string;
  readonly state: McpServerState;
  /** Resolves when the first try to connect has ended, either way. */
  readonly tried: Promise<void>;
  callTool(call: McpCall): ReturnType<McpConnection["callTool"]>;
  /** Tries again a server that was given up. */
  restart(): void;
  close(): Promise<void>;
}

/** What keeping a server connected takes. */
export interface SuperviseOptions
  extends Pick<ConnectOptions, "name" | "server" | "environment" | "directory" | "addressRules"> {
  readonly schedule: RetrySchedule;
  readonly sleep: Sleep;
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  onChange(): void;
}

// A server that lived this long is not in a loop of dying: its next death is its first.
const soundLifeMs = 60_000;

/** Starts a server and keeps it connected until it is closed or dies too often. */
export function superviseMcpServer(options: SuperviseOptions): SupervisedServer {
  const redaction = createRedaction(options.server);
  const closing = new AbortController();
  let state = newMcpServer;
  let connection: McpConnection | undefined;
  let wake = () => {};
  let markTried = () => {};
  const tried = new Promise<void>((resolve) => {
    markTried = resolve;
  });
  const life = live();
  return {
    name: options.name,
    tried,
    get state() {
      return state;
    },
    callTool,
    restart: () => wake(),
    async close() {
      closing.abort();
      wake();
      await life;
    },
  };

  async function live(): Promise<void> {
    for (let attempt = 1; !closing.signal.aborted; attempt += 1) {
      advance({ type: "connect" });
      const { failure, livedMs } = await liveOnce();
      if (closing.signal.aborted) break;
      attempt = await recover(failure, livedMs >= soundLifeMs ? 1 : attempt);
    }
    state = advanceMcpServer(state, { type: "lose", error: "was closed" });
    markTried();
  }

  // Waits for the next try, and says which one the last was.
  async function recover(failure: McpFailure, attempt: number): Promise<number> {
    const random = options.random();
    const delayMs = failure.isFinal
      ? undefined
      : retryDelayMs({ attempt, random }, options.schedule);
    if (delayMs !== undefined) {
      advance({ type: "lose", error: failure.message });
      markTried();
      await options.sleep(delayMs, closing.signal);
      return attempt;
    }
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const tries = attempt === 1 ? "" : `; given up after ${attempt} tries`;
    advance({ type: "give-up", error: `${failure.message}${tries}` });
    markTried();
    await woken;
    return 0;
  }

  // Resolves when the server is of no more use.
  async function liveOnce(): Promise<Life> {
    using following = followSignal(closing.signal);
    const { signal } = following;
    const line = watchLine(signal);
    let opened: McpConnection | undefined;
    let connectedAt: number | undefined;
    try {
      // The SDK takes longer to load than a session to start.
      const { connectMcpServer } = await import("./connect-mcp-server.js");
      opened = await connectMcpServer({ ...options, ...line.handlers, signal });
      const tools = await Promise.race([opened.listTools(), line.lost]);
      connection = opened;
      connectedAt = options.now();
      advance({ type: "connected", tools, instructions: opened.instructions });
      markTried();
      line.onList(() => void relist());
      return await line.lost;
    } catch (reason) {
      const livedMs = connectedAt === undefined ? 0 : options.now() - connectedAt;
      return { failure: toFailure(reason), livedMs };
    } finally {
      connection = undefined;
      await opened?.close().catch(() => {});
    }
  }

  async function relist(): Promise<void> {
    const from = connection;
    const tools = await from?.listTools().catch(() => undefined);
    if (tools !== undefined && from === connection) advance({ type: "list", tools });
  }

  function advance(step: McpServerStep): void {
    if (closing.signal.aborted) return;
    state = advanceMcpServer(
      state,
      "error" in step ? { ...step, error: redaction.error(step.error) } : step,
    );
    options.onChange();
  }

  async function callTool(call: McpCall): ReturnType<McpConnection["callTool"]> {
    if (connection === undefined) throw unavailable(options.name, state);
    const onProgress: McpCall["onProgress"] = (progress) =>
      call.onProgress(redaction.output(progress));
    try {
      return redaction.output(limitDepth(await connection.callTool({ ...call, onProgress })));
    } catch (reason) {
      if (!(reason instanceof ToolError)) throw reason;
      // Without its cause: that one may hold what was just taken out.
      throw new ToolError(reason.type, redaction.error(reason.message));
    }
  }
}

/** How one connection ended. */
interface Life {
  readonly failure: McpFailure;
  /** For how long it was connected. */
  readonly livedMs: number;
}

function toFailure(reason: unknown): McpFailure {
  if (reason instanceof McpFailure) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  return new McpFailure(`cannot be used: ${message}`, { cause: reason });
}

function unavailable(name: string, { status, error }: McpServerState): ToolError {
  const what = `the MCP server ${name} ${error ?? "is not connected"}`;
  const advice =
    status === "failed" ? "use another tool" : "it is being started again; try later or go without";
  return new ToolError("mcp_server_unavailable", `${what}; ${advice}`);
}
