import { once } from "node:events";
import { createServer } from "node:http";
import type { SessionEvent } from "@dt/client";
import { createPrometheusMetrics } from "@dt/server";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createHeldModel } from "./support/held-model.js";
import { openStage } from "./support/open-stage.js";
import { post } from "./support/raw-rpc.js";
import { watchTask } from "./support/watch-task.js";

/** Reads the metrics page into a map from the name and labels of each series to its value. */
async function readMetrics(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}metrics`);
  const lines = (await response.text()).split("\n").filter((line) => /^[^#\s]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))] as const;
    }),
  );
}

function waitingIn(event: SessionEvent): string {
  return (event.kind === "STATE_CHANGE" && event.waiting?.[0]?.toolCallId) || "";
}

test("metrics show turns, events, tool calls, questions, commits, method calls and memory [SRV-16, SRV-19]", async () => {
  await using stage = await openStage({ server: { metrics: createPrometheusMetrics() } });
  const client = await stage.connect();
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say hello then write a.txt: hi then write b.txt: hi",
  });
  const watched = watchTask(task);
  const first = await watched.question();
  const socket = new WebSocket(`${stage.url.replace("http", "ws")}ws`, "a2a.v1");
  await once(socket, "open");
  const before = await readMetrics(stage.url);
  await task.answer({ toolCallId: first }, "proceed_once");
  const asked = await watched.until(
    (event) => waitingIn(event) !== first && waitingIn(event) !== "",
  );
  await task.answer({ toolCallId: waitingIn(asked) }, "cancel");
  await watched.done;
  await post(stage.url, "tasks/get", { id: "nobody" });
  socket.close();

  const after = await readMetrics(stage.url);

  expect(before.get("dt_turns_running")).toBe(0);
  expect(before.get("dt_websockets")).toBe(1);
  expect(before.get("dt_subscribers")).toBe(1);
  expect(before.get("dt_subscriber_lag_events")).toBe(0);
  const figures = Object.fromEntries(after);
  expect(figures).toMatchObject({
    'dt_turns_total{state="completed"}': 1,
    dt_turn_seconds_count: 1,
    'dt_events_total{kind="USER_PROMPT"}': 1,
    'dt_tool_calls_total{tool="write_file",status="SUCCEEDED"}': 1,
    'dt_tool_calls_total{tool="write_file",status="CANCELLED"}': 1,
    'dt_tool_call_seconds_count{tool="write_file"}': 1,
    'dt_questions_total{option="proceed_once"}': 1,
    'dt_questions_total{option="cancel"}': 1,
    dt_question_seconds_count: 2,
    'dt_calls_total{operation="stream",version="1.0",outcome="ok"}': 3,
    'dt_calls_total{operation="get",version="0.3",outcome="task-not-found"}': 1,
    dt_sessions_in_memory: 1,
    dt_tasks: 1,
    dt_tasks_active: 0,
    dt_prompts_queued: 0,
  });
  expect(figures['dt_store_commits_total{outcome="stored"}']).toBeGreaterThan(3);
  expect(figures.process_resident_memory_bytes).toBeGreaterThan(1_000_000);
});

test("metrics show running turns, queued prompts, and prompts that wait because of the turn limit", async () => {
  const model = createHeldModel();
  await using stage = await openStage({
    model,
    server: { metrics: createPrometheusMetrics(), limits: { maxTurns: 1 } },
  });
  const client = await stage.connect();
  const workspacePath = stage.workspace.root;
  const task = await client.startTask({ workspacePath, prompt: "first" });
  await model.called(1);
  await task.prompt("second");
  const other = client.startTask({ workspacePath, prompt: "elsewhere" });

  await expect.poll(async () => (await readMetrics(stage.url)).get("dt_prompts_waiting")).toBe(1);
  const figures = await readMetrics(stage.url);
  model.release();
  await other;

  expect(figures.get("dt_turns_running")).toBe(1);
  expect(figures.get("dt_prompts_queued")).toBe(1);
});

test("/metrics returns 403 to a page from a foreign origin, and 404 if metrics are not configured [SEC-01]", async () => {
  await using counted = await openStage({ server: { metrics: createPrometheusMetrics() } });
  await using uncounted = await openStage();

  const page = await fetch(`${counted.url}metrics`, { headers: { Origin: "https://evil.test" } });
  const missing = await fetch(`${uncounted.url}metrics`);

  expect([page.status, missing.status]).toEqual([403, 404]);
});

test("metrics show push deliveries, retries and the push queue [RFC-03, SRV-19]", async () => {
  const answers = [503, 200];
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(answers.shift() ?? 200).end());
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as { port: number };
  await using stage = await openStage({
    server: {
      metrics: createPrometheusMetrics(),
      push: { allowList: ["127.0.0.1"], retry: { baseMs: 5, maxMs: 10 } },
    },
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "say hi" });
  await task.push.set({ url: `http://127.0.0.1:${port}/hook` });
  await watchTask(task).done;

  const read = (name: string) => async () => (await readMetrics(stage.url)).get(name);
  await expect.poll(read('dt_pushes_total{outcome="retried"}')).toBe(1);
  await expect.poll(read("dt_pushes_pending")).toBe(0);
  const figures = await readMetrics(stage.url);
  receiver.closeAllConnections();
  receiver.close();

  expect(figures.get('dt_pushes_total{outcome="delivered"}')).toBeGreaterThan(0);
  expect(figures.get("dt_push_seconds_count")).toBeGreaterThan(1);
});
