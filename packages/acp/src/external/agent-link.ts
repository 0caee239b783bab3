import { type ClientContext, RequestError } from "@agentclientprotocol/sdk";
import { type AgentProcess, showControlOnLine } from "@dt/schema";
import { DEFAULT_LINE_LIMITS, type LineLimits, openJsonLines } from "../stdio/json-line-stream.js";
import { toPeerBytes } from "./agent-bytes.js";
import { type ClientOptions, createClient } from "./client-requests.js";
import { takeUpdates } from "./update-stream.js";

/** The connection to the process of an agent. */
export interface AgentLink {
  /** Sends requests and notifications to the agent. */
  readonly agent: ClientContext;
  /** Sets the handler of the updates of all sessions. */
  onUpdate(handler: (params: unknown) => Promise<void>): void;
  /** Waits for a reply. Rejects if the connection or the process ends first. */
  orEnd<TReply>(reply: Promise<TReply>): Promise<TReply>;
  /** Converts a failure to an error for the person. If the process has ended, the error says how it ended. */
  explain(reason: unknown): Promise<Error>;
  close(): void;
}

/** Options of {@link openAgentLink}. */
export interface AgentLinkOptions extends ClientOptions {
  readonly process: AgentProcess;
  readonly limits?: LineLimits | undefined;
}

/** Opens the connection. Requests of the agent go to the host. */
export function openAgentLink(options: AgentLinkOptions): AgentLink {
  const { name, process } = options;
  let handleUpdate = async (_params: unknown) => {};
  const lines = openJsonLines(toPeerBytes(process), options.limits ?? DEFAULT_LINE_LIMITS);
  const connection = createClient(options).connect(
    takeUpdates(lines, async (params) => await handleUpdate(params)),
  );
  let end: { readonly how: string; readonly lastErrors: string } | undefined;
  void process.ended.then((reached) => {
    end = reached;
    connection.close(new Error("the process ended"));
  });
  const lost = new Promise<never>((_resolve, reject) => {
    const lose = () => reject(connection.signal.reason);
    connection.signal.addEventListener("abort", lose, { once: true });
  });
  // Marks the rejection as handled, because possibly no code waits for it.
  lost.catch(() => {});
  return {
    agent: connection.agent,
    onUpdate(handler) {
      handleUpdate = handler;
    },
    orEnd: (reply) => Promise.race([reply, lost]),
    async explain(reason) {
      // A process that has closed its output usually ends soon. The way it ends explains more than the lost
      // connection.
      if (connection.signal.aborted) await Promise.race([process.ended, pause(END_WAIT_MS)]);
      if (end === undefined) return new Error(`${name}: ${messageOf(reason)}`, { cause: reason });
      const errors = end.lastErrors === "" ? "" : `: ${showControlOnLine(end.lastErrors)}`;
      return new Error(`${name} ended with ${end.how}${errors}`, { cause: reason });
    },
    close: () => connection.close(new Error("the session is closed")),
  };
}

/** Time that an ended connection waits for the end of its process, to name the cause. */
const END_WAIT_MS = 1_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Maximum number of characters of an agent's error that are shown. */
const MAX_MESSAGE = 600;

function messageOf(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  const data = reason instanceof RequestError ? detailsOf(reason.data) : "";
  return showControlOnLine(`${message}${data}`).slice(0, MAX_MESSAGE);
}

function detailsOf(data: unknown): string {
  if (typeof data === "string") return `: ${data}`;
  if (typeof data !== "object" || data === null) return "";
  const { details, message } = data as { readonly details?: unknown; readonly message?: unknown };
  const found = details ?? message;
  return typeof found === "string" ? `: ${found}` : "";
}
