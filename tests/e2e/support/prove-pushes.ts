import { randomUUID } from "node:crypto";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { DEVELOPMENT_TOOL_URI, type SessionEvent } from "@dt/schema";
import { expect } from "vitest";
import { openDataDir } from "./data-dir.js";
import { isSigned, openPushReceiver } from "./push-receiver.js";
import { createRandom } from "./random.js";
import { post } from "./raw-rpc.js";
import { findFreePort, startServerProcess } from "./server-process.js";

/** The deliveries that a proof counted. */
export interface PushReport {
  /** Number of events that must be delivered. */
  readonly events: number;
  readonly delivered: number;
  /** Number of requests beyond one per event. */
  readonly repeats: number;
}

const STEPS = 12;

/**
 * Kills a server with kill -9 at random moments while it delivers pushes to a receiver that fails at random,
 * and restarts it on the same data.
 *
 * Each kill proves that every event arrives in order with a valid signature, and that a repeat has the same
 * delivery id and a higher attempt number.
 */
export async function provePushes(count: number, seed: number): Promise<PushReport> {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
    DT_PUSH_ALLOW: "127.0.0.1",
    DT_PUSH_TIMEOUT_MS: "1000",
    DT_SECRET_KEY: "a key of the proof with 32 characters",
  };
  const random = createRandom(seed);
  const report = { events: 0, delivered: 0, repeats: 0 };
  let server = await startServerProcess(environment);
  for (let round = 0; round < count; round += 1) {
    await using receiver = await openPushReceiver();
    const faults = ["500", "reset", "half-head", "half-body", "slow", "ok", "ok", "ok"];
    receiver.answerWith(...Array.from({ length: 4 }, () => faults[random(faults.length)] ?? "ok"));
    const [killAfter, ticks] = [random(6), random(60)];

    const { taskId } = await sendPrompt(server.url, workspace.root, receiver.url);
    await receiver.until(() => receiver.received.length > killAfter);
    for (let tick = 0; tick < ticks; tick += 1) await nextTick();
    await server.kill();
    server = await startServerProcess(environment);
    const events = await readNotable(server.url, taskId);
    const cursors = events.map(({ cursor }) => cursor);
    await receiver.until(() => receiver.accepted().length === events.length);

    const { received } = receiver;
    const accepted = receiver.accepted();
    expect(accepted.map(({ cursor }) => cursor)).toEqual(cursors);
    expect(received.every((request) => isSigned(request, "key"))).toBe(true);
    const positions = received.map(({ cursor }) => cursors.indexOf(cursor));
    expect(positions).toEqual([...positions].sort((left, right) => left - right));
    for (const [index, request] of received.entries()) {
      const earlier = received.slice(0, index).filter((one) => one.delivery === request.delivery);
      expect(earlier.every(({ attempt }) => attempt < request.attempt)).toBe(true);
    }
    report.events += events.length;
    report.delivered += accepted.length;
    report.repeats += received.length - accepted.length;
  }
  await server.kill();
  return report;
}

async function sendPrompt(url: string, root: string, to: string): Promise<{ taskId: string }> {
  const steps = Array.from({ length: STEPS }, () => "list .");
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: root } };
  const parts = [{ kind: "text", text: steps.join(" then ") }];
  const message = { kind: "message", role: "user", messageId: randomUUID(), parts, metadata };
  const pushNotificationConfig = {
    url: to,
    authentication: { schemes: ["HMAC"], credentials: "key" },
  };
  const configuration = { blocking: false, pushNotificationConfig };
  const response = await post(url, "message/send", { message, configuration });
  const { result } = (await response.json()) as { result: { id: string } };
  return { taskId: result.id };
}

/** Reads a task to its end. Returns the events that must be delivered: state changes and ended tool calls. */
async function readNotable(url: string, taskId: string): Promise<readonly SessionEvent[]> {
  const client = await connect(url);
  const task = await client.openTask(taskId);
  const events: SessionEvent[] = [];
  for await (const event of task.events({ after: cursorBefore(task.view().cursor) })) {
    events.push(event);
  }
  client.close();
  return events.filter(
    (event) =>
      event.kind === "STATE_CHANGE" ||
      (event.kind === "TOOL_CALL_UPDATE" && /SUCCEEDED|FAILED/.test(event.toolCall.status)),
  );
}

/** Returns the cursor before the first event, from which a subscription replays the whole task. */
function cursorBefore(cursor: string | undefined): string {
  return `0.${cursor?.split(".").at(-1)}`;
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
