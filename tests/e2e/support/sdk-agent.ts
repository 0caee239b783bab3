import { randomUUID } from "node:crypto";
import { AgentCard, Message, Task, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import * as sdk from "@a2a-js/sdk/server";
import * as sdk03 from "@a2a-js/sdk-0.3/server";
import {
  type AgentEvent,
  buildCardEntries,
  DEFAULT_EXTENSION_URIS,
  type JsonObject,
  type SessionEvent,
} from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { type A2aVersion, decodeClientMessage, encodeEvent, spellings } from "@dt/schema/wire";

/** An agent on the official SDK's server. It has the RFC's extension, but no cursors. */
export interface SdkAgent {
  readonly url: string;
  /** Calls the agent without a socket. */
  readonly fetch: typeof globalThis.fetch;
}

const AGENT_URL = "http://sdk-agent.test/";
const [developmentTool] = buildCardEntries();

/** Opens an agent that sends text, asks one question, and sends a final text after the answer. */
export function openSdkAgent(version: A2aVersion): SdkAgent {
  const card = {
    name: "somebody else's",
    description: "An agent for tests.",
    version: "0.0.0",
    url: AGENT_URL,
    protocolVersion: version === "1.0" ? "1.0" : "0.3.0",
    preferredTransport: "JSONRPC",
    supportedInterfaces: [{ url: AGENT_URL, protocolBinding: "JSONRPC", protocolVersion: version }],
    capabilities: { streaming: true, pushNotifications: true, extensions: [developmentTool] },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const handler = version === "1.0" ? openHandler(card) : openHandler03(card);
  return {
    url: AGENT_URL,
    async fetch(_, init = {}) {
      if (init.method !== "POST") return Response.json(card);
      const answer = await handler(JSON.parse(String(init.body)));
      if (!(Symbol.asyncIterator in answer)) return Response.json(answer);
      return new Response(framed(answer as AsyncIterable<unknown>), {
        headers: { "Content-Type": "text/event-stream" },
      });
    },
  };
}

type Handler = (body: JsonObject) => Promise<object>;

function openHandler(card: object): Handler {
  const executor: sdk.AgentExecutor = {
    async execute(context, bus) {
      const { taskId, contextId } = context;
      const message = Message.toJSON(context.userMessage);
      const status = { state: "TASK_STATE_SUBMITTED" };
      const task = context.task ?? Task.fromJSON({ id: taskId, contextId, status });
      bus.publish({ kind: "task", data: task });
      for (const event of script(message, "1.0")) {
        const frame = encodeUpdate({ ...event, taskId, contextId }, "1.0");
        bus.publish({
          kind: "statusUpdate",
          data: TaskStatusUpdateEvent.fromJSON(frame.statusUpdate),
        });
      }
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const handler = new sdk.DefaultRequestHandler(
    AgentCard.fromJSON(card),
    new sdk.InMemoryTaskStore(),
    executor,
    undefined,
    new sdk.InMemoryPushNotificationStore(),
  );
  const transport = new sdk.JsonRpcTransportHandler(handler);
  return async (body) =>
    (await transport.handle(body, new sdk.ServerCallContext())) as unknown as object;
}

function openHandler03(card: object): Handler {
  const executor: sdk03.AgentExecutor = {
    async execute(context, bus) {
      const { taskId, contextId } = context;
      if (context.task === undefined) {
        const status = { state: "submitted" };
        bus.publish({ kind: "task", id: taskId, contextId, status } as never);
      }
      for (const event of script(context.userMessage, "0.3")) {
        bus.publish(encodeUpdate({ ...event, taskId, contextId }, "0.3") as never);
      }
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const handler = new sdk03.DefaultRequestHandler(
    card as never,
    new sdk03.InMemoryTaskStore(),
    executor,
    undefined,
    new sdk03.InMemoryPushNotificationStore(),
  );
  const transport = new sdk03.JsonRpcTransportHandler(handler);
  return async (body) => (await transport.handle(body)) as object;
}

type StatusEvent = Exclude<SessionEvent, { readonly kind: "ARTIFACT" }>;
type Stamped = Exclude<AgentEvent, { readonly kind: "ARTIFACT" }> &
  Pick<SessionEvent, "state" | "at">;

function* script(json: unknown, version: A2aVersion): Generator<Stamped> {
  const message = decodeClientMessage(
    spellings[version].decodeMessage(json, "message"),
    DEFAULT_EXTENSION_URIS,
  );
  const question = buildQuestion();
  const at = new Date().toISOString();
  const working = { state: "working", at } as const;
  if (message.type === "prompt") {
    yield { kind: "STATE_CHANGE", ...working };
    yield { kind: "TEXT_CONTENT", text: "may ", ...working };
    yield { kind: "TEXT_CONTENT", text: "I?", ...working };
    yield { kind: "TOOL_CALL_UPDATE", toolCall: question, ...working };
    yield { kind: "STATE_CHANGE", waiting: [question], state: "input-required", at };
    return;
  }
  for (const status of ["EXECUTING", "SUCCEEDED"] as const) {
    yield { kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }), ...working };
  }
  yield { kind: "TEXT_CONTENT", text: "done", ...working };
  yield { kind: "STATE_CHANGE", state: "completed", at };
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
function encodeUpdate(event: StatusEvent, version: A2aVersion): any {
  const activation = { uris: DEFAULT_EXTENSION_URIS, developmentTool: true, session: false };
  const isFinal = event.state === "input-required" || event.state === "completed";
  const update = encodeEvent(event, activation, isFinal && event.kind === "STATE_CHANGE");
  const { message } = update.status;
  // The SDK stores the messages of a task by id, so each message needs a unique id.
  const status = {
    ...update.status,
    ...(message && { message: { ...message, messageId: randomUUID() } }),
  };
  return spellings[version].encodeFrame({ type: "status-update", ...update, status });
}

function framed(answers: AsyncIterable<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = answers[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) return controller.close();
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
    },
  });
}
