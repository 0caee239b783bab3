// "The notes" are the protocol notes, one of the five source documents (docs/documents.md).
import path from "node:path";
import { openAgentSession, openMemoryLedger } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { driveAgent } from "@dt/schema";
import { type AgentServerOptions, createAgentServer, openMemoryStore } from "@dt/server";
import { parseEvents, type RawEvent } from "../support/raw-rpc.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

/** Options of {@link openNotesStage}: options of the server, and MCP servers. */
export interface NotesStageOptions extends Partial<AgentServerOptions> {
  readonly mcpServers?: Record<string, { readonly command: string; readonly args: string[] }>;
}

/** Opens a server with the agent of dt-server, two workspaces, and functions that call the notes' routes. */
export async function openNotesStage({ mcpServers, ...options }: NotesStageOptions = {}) {
  const workspace = await openTempWorkspace();
  const other = await openTempWorkspace();
  const home = await openTempWorkspace();
  const faults: unknown[] = [];
  let agents = 0;
  const agentOptions = (contextId: string, workspacePath: string) => ({
    workspacePath,
    home: home.root,
    environment: { PATH: process.env.PATH },
    dataDirectory: path.join(home.root, contextId),
  });
  const server = await createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspace.root, other.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    onFault: (reason) => faults.push(reason),
    openAgent({ contextId, settings, ...session }) {
      agents += 1;
      return openAgentSession({
        ...agentOptions(contextId, settings.workspacePath),
        ...session,
        ...(mcpServers !== undefined && { flags: { mcpServers } }),
        client: settings,
      });
    },
    async listCommands() {
      const ledger = openMemoryLedger();
      const session = await openAgentSession({ ...agentOptions("-", workspace.root), ledger });
      const reader = { user: "server", name: "server", role: "observe" } as const;
      const commands = await driveAgent(session).listCommands(reader);
      await session.close();
      return commands;
    },
    ...options,
  });
  const at = (route: string) => new URL(route, server.url);
  const send = (route: string, body: unknown, headers: Record<string, string> = {}) =>
    postJson(at(route), body, headers);

  return {
    workspace,
    other,
    server,
    /** Internal faults that the server reported. Most tests expect none. */
    faults,
    /** Returns the number of agents that were opened for sessions. */
    countAgents: () => agents,
    at,
    send,
    get: async (route: string): Promise<Json> => await (await fetch(at(route))).json(),
    /** Creates a task by `POST /tasks`. */
    createTask: async (body: unknown = {}): Promise<Json> =>
      await (await send("tasks", body)).json(),
    /** Sends a message to `POST /message/stream`, and returns the events of the response. */
    stream: (body: unknown, headers?: Record<string, string>) =>
      streamFrom(server.url, body, headers),
    async execute(command: unknown, args?: unknown): Promise<Json> {
      return await (await send("executeCommand", { command, args })).json();
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      for (const each of [workspace, other, home]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Summarises each event as its kind and its state or tool status. */
export function brief(events: readonly RawEvent[]): readonly string[] {
  return events.map(({ json }) =>
    [json.kind, json.state ?? json.status].filter((word) => word !== undefined).join(" "),
  );
}

/** Builds the answer to a question, in the dialect of the notes. */
export function answer(asked: RawEvent | undefined, approved: boolean) {
  const { taskId, contextId, toolCallId } = asked?.json ?? {};
  const userMessage = { kind: "tool-call-confirmation", toolCallId, approved };
  return { taskId, contextId, userMessage };
}

/** Finds the last question of a stream. */
export function questionOf(events: readonly RawEvent[]): RawEvent | undefined {
  return events.findLast(({ json }) => json.kind === "tool-call-confirmation");
}

/** Sends a message to `POST /message/stream` of a server, and returns the events of the response. */
export async function streamFrom(
  url: string,
  body: unknown,
  headers?: Record<string, string>,
): Promise<readonly RawEvent[]> {
  const response = await postJson(new URL("message/stream", url), body, headers);
  return parseEvents(await response.text());
}

async function postJson(url: URL, body: unknown, headers: Record<string, string> = {}) {
  return await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
