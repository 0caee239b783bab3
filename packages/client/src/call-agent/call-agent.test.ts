import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentCall } from "@dt/schema";
import { expect, test } from "vitest";
import { callAgent } from "./call-agent.js";

/** Opens a plain agent of A2A 0.3 that streams these updates and then says nothing. */
async function openSilentAgent(updates: readonly object[] = []) {
  const methods: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(card()));
      return;
    }
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    methods.push(method);
    if (method !== "message/stream") {
      const result = { ...TASK, status: { state: "canceled" } };
      const reply = JSON.stringify({ jsonrpc: "2.0", id, result });
      response.setHeader("Content-Type", "application/json").end(reply);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const result of [TASK, ...updates]) {
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const card = () => ({
    name: "silent",
    description: "says nothing",
    url,
    version: "1",
    protocolVersion: "0.3.0",
    preferredTransport: "JSONRPC",
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });
  return {
    url,
    methods,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const TASK = { kind: "task", id: "task-1", contextId: "context-1", status: { state: "working" } };

function toCall(url: string, options: Partial<AgentCall> = {}): AgentCall {
  return {
    agent: { name: "silent", url, workspacePath: "/" },
    prompt: "hello",
    messageId: "message-1",
    depth: 1,
    silenceMs: 100,
    signal: new AbortController().signal,
    keepsTask: () => false,
    accepted: async () => {},
    print() {},
    ask: () => ({ answer: new Promise(() => {}), withdraw() {} }),
    ...options,
  };
}

test("an agent that is silent for too long fails the call, and its task is cancelled [SRV-24]", async () => {
  await using agent = await openSilentAgent();

  await expect(callAgent(toCall(agent.url))).rejects.toThrow(
    "it was silent for 100 ms; set timeoutMs in its settings to wait longer",
  );
  expect(agent.methods).toEqual(["message/stream", "tasks/cancel"]);
});

test("the task of a silent agent is not cancelled if a later call may join the task [SRV-24]", async () => {
  await using agent = await openSilentAgent();

  await expect(callAgent(toCall(agent.url, { keepsTask: () => true }))).rejects.toThrow("silent");
  expect(agent.methods).toEqual(["message/stream"]);
});

test("an open question does not count as silence [SRV-24]", async () => {
  const message = {
    kind: "message",
    role: "agent",
    messageId: "question",
    parts: [{ kind: "text", text: "Which branch?" }],
  };
  const update = {
    kind: "status-update",
    taskId: "task-1",
    contextId: "context-1",
    status: { state: "input-required", message },
    final: false,
  };
  await using agent = await openSilentAgent([update]);
  const stop = new AbortController();
  const asked: unknown[] = [];
  // The question stays open for longer than the silence that ends a call.
  const ask: AgentCall["ask"] = (question) => {
    asked.push(question);
    setTimeout(() => stop.abort(), 2_500);
    return { answer: new Promise(() => {}), withdraw() {} };
  };

  const calling = callAgent(toCall(agent.url, { ask, signal: stop.signal, silenceMs: 1_000 }));

  await expect(calling).rejects.toThrow("the call was stopped");
  expect(asked).toEqual([{ type: "text", text: "Which branch?" }]);
});

test("the agent's task is reported before the task's first event [SRV-24]", async () => {
  await using agent = await openSilentAgent();
  const tasks: unknown[] = [];

  const accepted = async (task: object) => {
    tasks.push(task);
  };

  await expect(callAgent(toCall(agent.url, { accepted }))).rejects.toThrow("silent");
  expect(tasks).toEqual([{ taskId: "task-1" }]);
});
