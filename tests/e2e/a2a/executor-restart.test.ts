import { randomUUID } from "node:crypto";
import path from "node:path";
import { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor, type ExecutionEventBus } from "@a2a-js/sdk/server";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { createAgentServer, createExecutorAgent, openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { readEvents } from "../gemini-dialect/open-dialect-stage.js";
import { parseEvents, post, type RawEvent } from "../support/raw-rpc.js";

const V1 = { "A2A-Version": "1.0" };

const say = (bus: ExecutionEventBus, state: string, text: string) => {
  const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] };
  const status = { state: `TASK_STATE_${state}`, message };
  bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ status })));
};
const give = (bus: ExecutionEventBus, text: string, append: boolean) => {
  const artifact = { artifactId: "report", parts: [{ text }] };
  bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ artifact, append })));
};

/** An executor that publishes two chunks of an artifact and then never finishes. */
const stuck: AgentExecutor = {
  async execute(_, bus) {
    say(bus, "WORKING", "reading");
    give(bus, "one ", false);
    give(bus, "two", true);
    await new Promise(() => {});
  },
  cancelTask: async () => {},
};

async function openStage(executor: AgentExecutor) {
  const data = await openTempWorkspace();
  const start = () =>
    createAgentServer({
      store: openSqliteStore({ file: path.join(data.root, "dt.db") }),
      workspaceRoots: [data.root],
      defaultSettings: { workspacePath: data.root, allowedTools: [], mcpServers: {} },
      openAgent: createExecutorAgent(executor),
    });
  let server = await start();
  return {
    send: (text: string) => {
      const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] };
      return post(server.url, "SendStreamingMessage", { message }, V1);
    },
    call: (method: string, params: object, headers = {}) =>
      post(server.url, method, params, { ...V1, ...headers }),
    at: (route: string) => new URL(route, server.url),
    async restart() {
      await server.close();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await data[Symbol.asyncDispose]();
    },
  };
}

test("after a server restart, a subscriber gets every chunk of an artifact once [LOG-01, LOG-02]", async () => {
  await using stage = await openStage(stuck);
  const seen: unknown[] = [];
  for await (const { result } of readEvents(await stage.send("go"))) {
    seen.push(result);
    if (result.artifactUpdate?.append) break;
  }
  const { id } = Object(seen[0]).task;

  await stage.restart();
  const fromStart = { "Last-Event-ID": "0" };
  const all = parseEvents(await (await stage.call("SubscribeToTask", { id }, fromStart)).text());
  const half = all.find(({ json }) => json.result.artifactUpdate?.artifact.artifactId === "report");
  const rest = parseEvents(
    await (await stage.call("SubscribeToTask", { id }, { "Last-Event-ID": half?.id ?? "" })).text(),
  );
  const task = (await (await stage.call("GetTask", { id })).json()) as RawEvent["json"];

  expect(all.slice(1, seen.length).map(({ json }) => json.result)).toEqual(seen.slice(1));
  expect(rest.slice(1)).toEqual(all.slice(all.indexOf(half ?? rest[0]!) + 1));
  expect(task.result.status).toMatchObject({
    state: "TASK_STATE_FAILED",
    message: { parts: [{ text: "interrupted by a restart" }] },
  });
  expect(task.result.artifacts[0].parts).toEqual([{ text: "one two" }]);
});

test("the /tasks routes run an executor and show its artifact [SRV-01, SRV-02, SRV-08]", async () => {
  await using stage = await openStage({
    async execute(_, bus) {
      give(bus, "the whole report", false);
      say(bus, "REJECTED", "I only review code.");
    },
    cancelTask: async () => {},
  });
  const json = { method: "POST", headers: { "Content-Type": "application/json" } };
  const created = await fetch(stage.at("tasks"), { ...json, body: "{}" });
  const { id } = (await created.json()) as { readonly id: string };

  const body = JSON.stringify({ message: "write a poem" });
  const response = await fetch(stage.at(`tasks/${id}/execute`), { ...json, body });
  const events = parseEvents(await response.text()).map((event) => event.json);
  const task = (await (await fetch(stage.at(`tasks/${id}`))).json()) as object;
  const metadata = await (await fetch(stage.at(`tasks/${id}/metadata`))).json();

  expect(events).toMatchObject([{ state: "error", error: "I only review code." }]);
  const parts = [{ kind: "text", text: "the whole report" }];
  expect(task).toMatchObject({ state: "error", artifacts: [{ artifactId: "report", parts }] });
  expect(metadata).toMatchObject({ metadata: { id, taskState: "failed", availableTools: [] } });
});
