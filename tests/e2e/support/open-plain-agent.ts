import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AgentCard,
  Message,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from "@a2a-js/sdk";
import * as sdk from "@a2a-js/sdk/server";
import * as sdk03 from "@a2a-js/sdk-0.3/server";
import type { A2aVersion } from "@dt/schema/wire";

/** Options of {@link openPlainAgent}. */
export interface PlainAgentOptions {
  readonly version: A2aVersion;
  /** Default: true. */
  readonly streaming?: boolean;
}

/**
 * Opens an agent on the official SDK's server, on a real socket, without our extensions. It follows the text of
 * its messages: "message" is answered with a message, "ask" with a question, and other text with an artifact.
 */
export async function openPlainAgent({ version, streaming = true }: PlainAgentOptions) {
  const received: { readonly text: string; readonly authorization: string | undefined }[] = [];
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const card = {
    name: "plain",
    description: "A plain agent for tests.",
    version: "0.0.0",
    url,
    protocolVersion: version === "1.0" ? "1.0" : "0.3.0",
    preferredTransport: "JSONRPC",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: version }],
    capabilities: { streaming },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const handle = version === "1.0" ? openHandler(card) : openHandler03(card);
  server.on("request", async (request, response) => {
    if (request.method !== "POST") {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(card));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const text = textIn(body.params?.message);
    if (text !== undefined) received.push({ text, authorization: request.headers.authorization });
    const answer = await handle(body);
    if (!(Symbol.asyncIterator in answer)) {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(answer));
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    for await (const event of answer as AsyncIterable<unknown>) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  return {
    url,
    /** The messages that the agent received, each with the credentials of its request. */
    received,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

type Handler = (body: Readonly<Record<string, unknown>>) => Promise<object>;

// biome-ignore lint/suspicious/noExplicitAny: the two versions of the SDK have different shapes.
type Json = any;

function textIn(message: Json): string | undefined {
  return message?.parts?.map((part: Json) => part.text).join("");
}

/** One thing that the agent publishes, in the spelling of A2A 1.0. */
type Step =
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "artifact"; readonly text: string }
  | { readonly type: "status"; readonly state: string; readonly text?: string };

function* script(text: string, isFollowUp: boolean): Generator<Step> {
  if (text === "message") return yield { type: "message", text: "a direct reply" };
  yield { type: "status", state: "working" };
  if (text === "ask" && !isFollowUp) {
    return yield { type: "status", state: "input-required", text: "Which branch?" };
  }
  yield { type: "artifact", text: `report on ${text}` };
  yield { type: "status", state: "completed", text: "all done" };
}

function openHandler(card: object): Handler {
  const executor: sdk.AgentExecutor = {
    async execute(context, bus) {
      const { taskId, contextId } = context;
      const text = textIn(Message.toJSON(context.userMessage)) ?? "";
      const ids = { taskId, contextId };
      for (const step of script(text, context.task !== undefined)) {
        const reply = (value: string) => ({
          messageId: randomUUID(),
          role: "ROLE_AGENT",
          parts: [{ text: value }],
        });
        if (step.type === "message") {
          bus.publish({
            kind: "message",
            data: Message.fromJSON({ ...reply(step.text), contextId }),
          });
          break;
        }
        if (step.type === "status" && step.state === "working") {
          const status = { state: "TASK_STATE_SUBMITTED" };
          const data = context.task ?? Task.fromJSON({ id: taskId, contextId, status });
          bus.publish({ kind: "task", data });
        }
        if (step.type === "artifact") {
          const artifact = { artifactId: "report", parts: [{ text: step.text }] };
          const data = TaskArtifactUpdateEvent.fromJSON({ ...ids, artifact });
          bus.publish({ kind: "artifactUpdate", data });
          continue;
        }
        const state = `TASK_STATE_${step.state.toUpperCase().replace("-", "_")}`;
        const message = step.text === undefined ? {} : { message: { ...reply(step.text), ...ids } };
        const data = TaskStatusUpdateEvent.fromJSON({ ...ids, status: { state, ...message } });
        bus.publish({ kind: "statusUpdate", data });
      }
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const store = new sdk.InMemoryTaskStore();
  const handler = new sdk.DefaultRequestHandler(AgentCard.fromJSON(card), store, executor);
  const transport = new sdk.JsonRpcTransportHandler(handler);
  return async (body) =>
    (await transport.handle(body, new sdk.ServerCallContext())) as unknown as object;
}

function openHandler03(card: object): Handler {
  const executor: sdk03.AgentExecutor = {
    async execute(context, bus) {
      const { taskId, contextId } = context;
      const publish = (event: Json) => bus.publish(event);
      const ids = { taskId, contextId };
      for (const step of script(textIn(context.userMessage) ?? "", context.task !== undefined)) {
        const reply = (value: string) => ({
          kind: "message",
          messageId: randomUUID(),
          role: "agent",
          parts: [{ kind: "text", text: value }],
        });
        if (step.type === "message") {
          publish({ ...reply(step.text), contextId });
          break;
        }
        if (context.task === undefined && step.type === "status" && step.state === "working") {
          publish({ kind: "task", id: taskId, contextId, status: { state: "submitted" } });
        }
        if (step.type === "artifact") {
          const artifact = { artifactId: "report", parts: [{ kind: "text", text: step.text }] };
          publish({ kind: "artifact-update", ...ids, artifact });
          continue;
        }
        const { state, text } = step;
        const message = text === undefined ? {} : { message: { ...reply(text), ...ids } };
        const final = state !== "working";
        publish({ kind: "status-update", ...ids, final, status: { state, ...message } });
      }
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const store = new sdk03.InMemoryTaskStore();
  const handler = new sdk03.DefaultRequestHandler(card as never, store, executor);
  const transport = new sdk03.JsonRpcTransportHandler(handler);
  return async (body) => (await transport.handle(body)) as object;
}
