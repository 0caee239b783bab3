import { isObject, type JsonObject } from "@dt/schema";
import { systemWallClock, type WallClock } from "../../transport/wall-clock.js";
import {
  cardOf,
  errorResponse,
  errorStream,
  json,
  openStream,
  resultResponse,
} from "./stand-in-responses.js";
import type { StandInCall, StandInTurn } from "./stand-in-script.js";
import { createStandInTask, type StandInTask } from "./stand-in-task.js";

/** The connection of a request. */
export interface StandInConnection {
  /** Calls the listener when the client closes the connection. */
  onEnd(listener: () => void): void;
}

/** Options of {@link createGeminiStandIn}. */
export interface GeminiStandInOptions {
  /** Turns of the agent, in order. Prompts of all tasks share the list. Turns after the last are empty. */
  readonly turns?: readonly StandInTurn[];
  /**
   * True if an answer with an edit makes the task hang, as in version 0.25.2. Otherwise the task
   * asks again before it continues.
   */
  readonly hangsOnEdits?: boolean;
  /** True if answers have no effect. The peer sometimes ignores an answer like this. */
  readonly ignoresAnswers?: boolean;
  /** True if all questions of a step arrive at once, and must be answered together. */
  readonly asksTogether?: boolean;
  /** True if streams stay open during a question, as in versions of the peer after 0.25.2. */
  readonly keepsStreams?: boolean;
  /**
   * True if a refusal removes everything but the refused call from the history, as in version
   * 0.25.2.
   */
  readonly forgetsRefused?: boolean;
  /** True if `tasks/get` never includes the history. */
  readonly hidesHistory?: boolean;
  /** Clock for the times of messages. Default: the platform's. */
  readonly now?: WallClock;
  /** Response of `GET /listCommands`. */
  readonly commands?: readonly JsonObject[];
  /** Response of `POST /executeCommand`, by name of the command: JSON data, or a turn to stream. */
  readonly results?: Readonly<
    Record<string, { readonly data: unknown } | { readonly turn: StandInTurn }>
  >;
}

/** A stand-in for gemini-cli's a2a-server, with the same messages and faults. It has no model or tools. */
export interface GeminiStandIn {
  /** Serves a request. If no connection is passed, the turn that the request starts is never aborted. */
  handle(request: Request, connection?: StandInConnection): Promise<Response>;
  /** Calls that ran, in order, with the content that the user edited. */
  readonly ran: readonly { readonly call: StandInCall; readonly newContent?: string }[];
  /** Ids of the tasks, in the order of their creation. */
  readonly taskIds: readonly string[];
  /** Every JSON-RPC request, in order. */
  readonly requests: readonly { readonly method: string; readonly params: JsonObject }[];
}

const PERMANENT_CONNECTION: StandInConnection = { onEnd: () => {} };

/** Creates a stand-in that plays a script. A test can call its `handle` without an HTTP server. */
export function createGeminiStandIn(options: GeminiStandInOptions = {}): GeminiStandIn {
  const tasks = new Map<string, StandInTask>();
  const turns = [...(options.turns ?? [])];
  const ran: { call: StandInCall; newContent?: string }[] = [];
  const requests: { method: string; params: JsonObject }[] = [];
  const createId = () => globalThis.crypto.randomUUID();
  const { now = systemWallClock } = options;

  function createTask(settings: JsonObject, contextId: unknown): StandInTask {
    const task = createStandInTask({
      taskId: createId(),
      contextId: typeof contextId === "string" ? contextId : createId(),
      autoExecute: settings.autoExecute === true,
      hangsOnEdits: options.hangsOnEdits === true,
      asksTogether: options.asksTogether === true,
      keepsStreams: options.keepsStreams === true,
      forgetsRefused: options.forgetsRefused === true,
      createId,
      now: () => new Date(now()).toISOString(),
      onRun: (call, newContent) =>
        ran.push({ call, ...(newContent !== undefined && { newContent }) }),
    });
    tasks.set(task.taskId, task);
    return task;
  }

  function message({ id, params, signal }: RpcCall, connection: StandInConnection): Response {
    const sent = isObject(params.message) ? params.message : {};
    const parts = (Array.isArray(sent.parts) ? sent.parts : []).filter(isObject);
    const known = typeof sent.taskId === "string" ? tasks.get(sent.taskId) : undefined;
    if (sent.taskId !== undefined && known === undefined) {
      return errorStream(id, -32001, `Task not found: ${sent.taskId}`);
    }
    if (known?.state === "canceled") {
      const reason = `Task ${known.taskId} is in a terminal state (canceled) and cannot be modified.`;
      return errorStream(id, -32600, reason);
    }
    const metadata = isObject(sent.metadata) ? sent.metadata : {};
    const settings = isObject(metadata.coderAgent) ? metadata.coderAgent : {};
    const task = known ?? createTask(settings, sent.contextId);
    const onClosed = () => task.detach(stream);
    const { stream, response } = openStream({ id, signal, onClosed });
    task.attach(stream);
    if (known === undefined) stream.send({ ...task.show([sent]), status: { state: "submitted" } });
    task.history.push(sent);
    if (!parts.some(({ kind }) => kind === "text")) {
      if (options.ignoresAnswers !== true) task.answer(parts);
    }
    // During a turn, the peer discards the text and only reports the state `working`.
    else if (task.isRunning) task.interrupt();
    else connection.onEnd(task.start(turns.shift() ?? []));
    return response;
  }

  function cancel(id: unknown, params: JsonObject): Response {
    const task = tasks.get(String(params.id));
    if (task === undefined) return errorResponse(id, -32001, `Task not found: ${params.id}`);
    if (task.state === "canceled")
      return errorResponse(id, -32002, `Task not cancelable: ${params.id}`);
    task.cancel();
    return resultResponse(id, task.show(task.history));
  }

  async function rpc(request: Request, connection: StandInConnection): Promise<Response> {
    const body: unknown = await request.json();
    if (!isObject(body)) return errorResponse(null, -32600, "Invalid request.");
    const { id, method } = body;
    const params = isObject(body.params) ? body.params : {};
    const { signal } = request;
    requests.push({ method: String(method), params });
    const task = tasks.get(String(params.id));
    switch (method) {
      case "message/stream":
        return message({ id, params, signal }, connection);
      case "tasks/cancel":
        return cancel(id, params);
      case "tasks/get":
        if (task === undefined) return errorResponse(id, -32001, `Task not found: ${params.id}`);
        return resultResponse(
          id,
          task.show(options.hidesHistory ? [] : lastOf(task.history, params)),
        );
      case "tasks/resubscribe": {
        if (task === undefined) return errorStream(id, -32001, `Task not found: ${params.id}`);
        const onClosed = () => task.detach(stream);
        const { stream, response } = openStream({ id, signal, onClosed });
        stream.send(task.show(task.history));
        if (task.isStreaming) task.attach(stream);
        else stream.end();
        return response;
      }
      default:
        return errorResponse(id, -32601, `Method not found: ${method}`);
    }
  }

  async function execute(request: Request): Promise<Response> {
    const body: unknown = await request.json();
    const command = isObject(body) ? String(body.command) : "";
    const result = options.results?.[command];
    if (result === undefined) return json({ error: `Command not found: ${command}` }, 404);
    if ("data" in result) return json({ name: command, data: result.data });
    const task = createTask({ autoExecute: true }, undefined);
    // The peer writes one newline after an event instead of two.
    const { stream, response } = openStream({
      id: task.taskId,
      signal: request.signal,
      onClosed: () => task.detach(stream),
      separator: "\n",
    });
    task.attach(stream);
    stream.send({ ...task.show(), status: { state: "submitted" } });
    task.start(result.turn);
    return response;
  }

  return {
    ran,
    requests,
    get taskIds() {
      return [...tasks.keys()];
    },
    async handle(request, connection = PERMANENT_CONNECTION) {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/.well-known/agent-card.json") return json(cardOf(`${origin}/`));
      if (pathname === "/listCommands") return json({ commands: options.commands ?? [] });
      if (pathname === "/executeCommand") return await execute(request);
      if (pathname === "/" && request.method === "POST") return await rpc(request, connection);
      return new Response("<!DOCTYPE html>", { status: 404 });
    },
  };
}

/** Returns the end of a history; nothing if the request has no length. */
function lastOf(history: readonly JsonObject[], { historyLength }: JsonObject) {
  return typeof historyLength === "number" ? history.slice(-historyLength) : [];
}

/** Fields of a request that a stream needs. */
interface RpcCall {
  readonly id: unknown;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}
