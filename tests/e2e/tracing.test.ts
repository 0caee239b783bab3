import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { post, readStream } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";
import { type CollectedSpan, openTraceCollector } from "./support/trace-collector.js";
import { watchTask } from "./support/watch-task.js";

const EXTENSION =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

test("the spans of a request, its turn, its tool calls and its questions are in the caller's trace", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  await using collector = await openTraceCollector();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const caller = "b7ad6b7169203331";
  const message = {
    kind: "message",
    role: "user",
    messageId: "m1",
    parts: [{ kind: "text", text: "list then write secret.txt: hunter2 then say done" }],
    metadata: { [EXTENSION]: { workspace_path: workspace.root } },
  };
  const headers = { traceparent: `00-${traceId}-${caller}-01` };
  const events = await readStream(await post(server.url, "message/stream", { message }, headers));
  const client = await connect(server.url);
  const task = await client.openTask(events[0]?.json.result.id);
  const watched = watchTask(task);

  await task.answer({ toolCallId: task.view().openCalls[0]?.toolCallId ?? "" }, "proceed_once");
  await watched.done;
  await collector.until(() => collector.spans.some(({ name }) => name === "turn"));
  client.close();

  const ours = collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => ours.filter((span) => span.name.startsWith(name));
  const [request, turn, question] = ["a2a stream", "turn", "question"].map(
    (name) => named(name)[0] as CollectedSpan,
  );
  const write = named("execute_tool write_file")[0];
  expect(request).toMatchObject({ parentSpanId: caller });
  expect(turn).toMatchObject({
    parentSpanId: request?.spanId,
    attributes: { "dt.task.id": task.taskId, "dt.turn.state": "completed" },
  });
  expect(named("chat offline").length).toBeGreaterThan(1);
  expect(new Set(named("chat offline").map((span) => span.parentSpanId))).toEqual(
    new Set([turn?.spanId]),
  );
  expect(named("execute_tool list_directory")).toMatchObject([{ parentSpanId: turn?.spanId }]);
  expect(write).toMatchObject({
    parentSpanId: turn?.spanId,
    attributes: { "dt.tool_call.status": "SUCCEEDED" },
  });
  expect(question).toMatchObject({
    parentSpanId: write?.spanId,
    attributes: { "dt.answer": "proceed_once" },
  });
  expect(watched.seen.map((event) => event.traceId)).toEqual(watched.seen.map(() => traceId));
  expect(JSON.stringify(collector.spans)).not.toContain("hunter2");
});

test("dt-server exports traces as protobuf by default and flushes them when it stops", async () => {
  await using data = await openDataDir();
  await using collector = await openTraceCollector();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    CODER_AGENT_PORT: "0",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  await post(server.url, "tasks/get", { id: "nobody" });

  const { code } = await server.stop();

  expect(code).toBe(0);
  expect(collector.types).toEqual(["application/x-protobuf"]);
});

test("dt-server logs an unreachable trace collector and still exits with 0", async () => {
  await using data = await openDataDir();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    CODER_AGENT_PORT: "0",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_BSP_SCHEDULE_DELAY: "20",
    OTEL_BSP_EXPORT_TIMEOUT: "200",
  });
  await post(server.url, "tasks/get", { id: "nobody" });
  await server.log("a trace could not be sent");

  const { code } = await server.stop();

  expect(code).toBe(0);
});

test("dt-server exits with 2 and one error line if the trace exporter is unknown", async () => {
  await using data = await openDataDir();

  const started = startServerProcess({
    DT_DATA_DIR: data.directory,
    CODER_AGENT_PORT: "0",
    OTEL_TRACES_EXPORTER: "zipkin",
  });

  await expect(started).rejects.toThrow(
    "dt-server ended with 2: OTEL_TRACES_EXPORTER: expected otlp, console or none, got zipkin\n",
  );
});
