import { randomUUID } from "node:crypto";
import path from "node:path";
import { type AgentSessionOptions, openAgentSession } from "@dt/agent-core";
import {
  geminiChunk,
  geminiStream,
  openGeminiStandIn,
  openTempWorkspace,
} from "@dt/agent-core/testing";
import { type AgentServerOptions, createAgentServer, openSqliteStore } from "@dt/server";
import { parseEvents, post } from "../support/raw-rpc.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

/** One step of the model. */
type ModelStep = ReturnType<typeof geminiStream>;

/** Options of {@link openDialectStage}. */
export interface DialectStageOptions {
  /** Builds the steps of the model, in order. `root` is the path of the workspace. */
  readonly answers: (root: string) => readonly ModelStep[];
  /** Writes files before the server starts. */
  readonly prepare?: (root: string, home: string) => Promise<void>;
  readonly server?: Partial<AgentServerOptions>;
  readonly flags?: AgentSessionOptions["flags"];
}

/** Opens a server with the agent of dt-server, a scripted Gemini model and a client of the dialect. */
export async function openDialectStage({
  answers,
  prepare,
  flags = {},
  server: options,
}: DialectStageOptions) {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  await prepare?.(workspace.root, home.root);
  const model = await openGeminiStandIn(answers(workspace.root));
  const environment = {
    PATH: process.env.PATH,
    GEMINI_API_KEY: "key-of-the-stand-in",
    GOOGLE_GEMINI_BASE_URL: model.url,
  };
  const faults: unknown[] = [];
  const file = path.join(home.root, "dt.db");
  const start = () =>
    createAgentServer({
      store: openSqliteStore({ file }),
      workspaceRoots: [workspace.root],
      defaultSettings: { workspacePath: home.root, allowedTools: [], mcpServers: {} },
      onFault: (reason) => faults.push(reason),
      openAgent: ({ contextId, settings, isCredentialAlive, ...agent }) =>
        openAgentSession({
          ...agent,
          home: home.root,
          environment,
          dataDirectory: path.join(home.root, "data", contextId),
          workspacePath: settings.workspacePath,
          client: settings,
          flags,
          isCredentialAlive,
        }),
      ...options,
    });
  let server = await start();
  const rpc = (method: string, params: unknown) => post(server.url, method, params);
  return {
    get url() {
      return server.url;
    },
    /** Stops the server, and starts another one on the same store. */
    async restart(): Promise<void> {
      await server.close();
      server = await start();
    },
    root: workspace.root,
    home: home.root,
    workspace,
    faults,
    /** Sends a request, and returns its result or its error. */
    async call(method: string, params: unknown): Promise<Json> {
      const json: Json = await (await rpc(method, params)).json();
      return json.result ?? { error: json.error };
    },
    /** Streams a message and returns its frames. Calls `onFrame` with each frame as it arrives. */
    async stream(
      message: object,
      onFrame: (frame: Json) => Promise<void> = async () => {},
    ): Promise<readonly Json[]> {
      const frames: Json[] = [];
      for await (const event of readEvents(await rpc("message/stream", { message }))) {
        const frame = event.result ?? { error: event.error };
        frames.push(frame);
        await onFrame(frame);
      }
      return frames;
    },
    rpc,
    async [Symbol.asyncDispose]() {
      await server.close();
      await model[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Reads the events of a response as they arrive. */
export async function* readEvents(response: Response): AsyncGenerator<Json, void, undefined> {
  let text = "";
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split("\n\n");
    text = blocks.pop() ?? "";
    for (const { json } of parseEvents(blocks.map((block) => `${block}\n\n`).join(""))) yield json;
  }
}

/** The ids of the task that a message continues. */
export interface TaskName {
  readonly id: string;
  readonly contextId: string;
}

/** Builds a message as a client sends it. */
export function buildMessage(
  parts: readonly object[],
  task?: TaskName,
  coderAgent?: object,
): Record<string, unknown> {
  return {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts,
    ...(coderAgent && { metadata: { coderAgent: { kind: "agent-settings", ...coderAgent } } }),
    ...(task && { taskId: task.id, contextId: task.contextId }),
  };
}

/** Builds a prompt. The first prompt of a task has settings in `coderAgent`. */
export function buildPrompt(text: string, task?: TaskName, coderAgent?: object) {
  return buildMessage([{ kind: "text", text }], task, coderAgent);
}

/** Builds the answer to a question. */
export function buildAnswer(callId: string, outcome: string, task: TaskName, newContent?: string) {
  const data = { callId, outcome, ...(newContent !== undefined && { newContent }) };
  return buildMessage([{ kind: "data", data }], task);
}

/** Finds the id of the last call that asks for approval. */
export function findAskedCall(frames: readonly Json[]): string {
  const asked = frames.findLast(
    ({ metadata }) => metadata?.coderAgent?.kind === "tool-call-confirmation",
  );
  return asked?.status.message.parts[0].data.request.callId ?? "";
}

/** Builds a step in which the model sends text, one chunk for each string. */
export function say(...texts: readonly string[]): ModelStep {
  return stepOf(...texts.map((text) => ({ text })));
}

/** Builds a step in which the model calls tools. Each pair has the name of a tool and its arguments. */
export function request(...calls: readonly (readonly [name: string, args: object])[]): ModelStep {
  const parts = calls.map(([name, args]) => ({ functionCall: { name, args } }));
  return geminiStream([geminiChunk(parts, { finishReason: "STOP" })]);
}

/** Builds a step in which the model sends parts, one chunk for each part. */
export function stepOf(...parts: readonly Readonly<Record<string, unknown>>[]): ModelStep {
  const chunks = parts.map((part, index) =>
    geminiChunk([part], index === parts.length - 1 ? { finishReason: "STOP" } : {}),
  );
  return geminiStream(chunks);
}
