import { openTempWorkspace } from "@dt/agent-core/testing";
import { openLiveSession, openMemoryStore } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openRawGrpc, readAll, readUntil } from "./grpc-client.js";
import { prompt } from "./grpc-server.js";

test("a live session accepts gRPC prompts, and its end completes the streams of its clients", async () => {
  await using workspace = await openTempWorkspace();
  const live = await openLiveSession({
    store: openMemoryStore(),
    openAgent: createScriptedAgent(),
    settings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
  });
  const server = await live.serve({ port: 0, grpcPort: 0 });
  using client = openRawGrpc(server.grpcAddress ?? "");
  const watched = client.stream("subscribeToTask", { id: live.taskId });
  await readUntil(watched, ({ task }) => task !== undefined);
  const { cursor = "" } = await live.view();

  const sent = await client.send("sendMessage", prompt("hello"));
  const { value: seen = [] } = await live.events({ after: cursor })[Symbol.asyncIterator]().next();
  const watching = readAll(watched);
  await live.close();

  expect(sent.task).toMatchObject({
    id: live.taskId,
    status: { state: "TASK_STATE_INPUT_REQUIRED" },
  });
  expect(seen[0]).toMatchObject({ kind: "USER_PROMPT", parts: [{ text: "hello" }] });
  expect((await watching).at(-1)).toMatchObject({
    statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
  });
});
