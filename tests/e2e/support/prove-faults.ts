import {
  type AgentClient,
  connect,
  type SessionEvent,
  SetupError,
  type TaskHandle,
  type TaskView,
} from "@dt/client";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { type FaultPlan, openFaultProxy } from "./fault-proxy.js";
import { openStage } from "./open-stage.js";
import { createRandom } from "./random.js";

/** The faults and reconnects that a proof counted. */
export interface FaultReport {
  readonly faults: number;
  readonly reconnects: number;
}

/** Maximum number of connection faults in one run. Later connections have no faults. */
const MAX_FAULTS = 6;
/** Number of simultaneous runs. */
const PARALLEL_RUNS = 10;

/** Maximum number of attempts to connect before the faults begin. */
const MAX_HANDSHAKES = 20;

/** A transport and A2A version to test. */
export interface FaultKind {
  readonly transport: "sse" | "websocket";
  readonly version: "0.3" | "1.0";
}

export const faultKinds: readonly FaultKind[] = (["sse", "websocket"] as const).flatMap(
  (transport) => (["0.3", "1.0"] as const).map((version) => ({ transport, version })),
);

type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * Runs tasks with two questions and a second prompt through a proxy that cuts, delays, splits and stalls the
 * traffic, over SSE and WebSocket and both A2A versions.
 *
 * Each run proves that the client sees every logged event once and in order, that its view equals that of a
 * client without the proxy, that every message was accepted once, and that every tool ran once.
 */
export async function proveFaults(
  count: number,
  seed: number,
  kinds: readonly FaultKind[] = faultKinds,
): Promise<FaultReport> {
  await using stage = await openStage();
  const report = { faults: 0, reconnects: 0 };
  let next = 0;
  const runSome = async () => {
    for (let run = next++; run < count; run = next++) {
      const kind = kinds[run % kinds.length]!;
      const own = await runOnce(stage, { kind, seed: seed + run }).catch((cause: unknown) => {
        throw new Error(`seed ${seed + run}, ${JSON.stringify(kind)}`, { cause });
      });
      report.faults += own.faults;
      report.reconnects += own.reconnects;
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_RUNS, count) }, runSome));
  expect(stage.faults).toEqual([]);
  return report;
}

interface Run {
  readonly kind: FaultKind;
  readonly seed: number;
}

async function runOnce(stage: Stage, { kind, seed }: Run): Promise<FaultReport> {
  const random = createRandom(seed);
  await using proxy = await openFaultProxy(stage.url, random);
  const client = await connectThrough(proxy.url, kind);
  let reconnects = 0;
  client.onConnectionChange(({ status }) => {
    if (status === "reconnecting") reconnects += 1;
  });
  proxy.arm(() => planFaults(random, proxy.faults));
  try {
    const drive = await driveTask(client, stage.workspace.root, `f-${seed}`);
    await checkRun(stage, drive);
  } finally {
    client.close();
  }
  return { faults: proxy.faults, reconnects };
}

async function connectThrough(url: string, kind: FaultKind): Promise<AgentClient> {
  const options = {
    ...kind,
    WebSocket,
    keepsOrigin: true,
    reconnect: { baseMs: 1, maxMs: 8 },
    // The client closes a connection that is silent for this time.
    silenceMs: 1_500,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connect(url, options);
    } catch (reason) {
      // On a busy machine, a handshake may take longer than `silenceMs`.
      if (attempt === MAX_HANDSHAKES || !(reason instanceof SetupError)) throw reason;
    }
  }
}

function planFaults(random: (bound: number) => number, faults: number): FaultPlan {
  const ends = faults >= MAX_FAULTS ? (["none"] as const) : (["reset", "close", "stall"] as const);
  return {
    end: ends[random(ends.length)]!,
    afterBytes: 1 + random(6_000),
    maxDelayMs: random(6),
    maxChunkBytes: [1, 20, 300, 3_000][random(4)]! + random(20),
  };
}

interface Drive {
  readonly task: TaskHandle;
  readonly seen: readonly SessionEvent[];
  /** The view right after the task started. */
  readonly start: TaskView;
  readonly taskIds: readonly string[];
}

async function driveTask(client: AgentClient, root: string, file: string): Promise<Drive> {
  const prompt = `say one then write ${file}.md: hi then say two then write ${file}.txt: ho then say three`;
  const task = await client.startTask({ workspacePath: root, prompt });
  const start = task.view();
  const seen: SessionEvent[] = [];
  const sent: Promise<unknown>[] = [];
  const taskIds = new Set([task.taskId]);
  let isPrompted = false;
  for await (const event of task.events()) {
    seen.push(event);
    taskIds.add(event.taskId);
    if (event.kind !== "STATE_CHANGE") continue;
    for (const call of event.waiting ?? []) {
      // The loop does not await the answer, because it must keep reading events meanwhile.
      sent.push(
        task.answer(call, "proceed_once").then((result) => expect(result.accepted).toBe(true)),
      );
    }
    if (event.state !== "completed" || isPrompted) continue;
    isPrompted = true;
    await task.prompt("say four");
  }
  await Promise.all(sent);
  return { task, seen, start, taskIds: [...taskIds] };
}

/** Compares the events that came through the proxy with the log, which is read without the proxy. */
async function checkRun(stage: Stage, { task, seen, start, taskIds }: Drive) {
  const direct = await stage.connect({ version: "1.0" });
  const logged: SessionEvent[] = [];
  const opened = await direct.openTask(task.taskId);
  const last = opened.view();
  for await (const event of opened.events({ after: start.cursor! })) logged.push(event);
  direct.close();

  expect([...new Set(logged.map(({ taskId }) => taskId))]).toEqual(taskIds);

  expect(seen.filter(isOfLog)).toEqual(logged.filter(isOfLog));
  const view = task.view();
  expect(view).toMatchObject({ state: "completed", cursor: last.cursor, openCalls: [], queue: [] });
  expect(view.items).toEqual(last.items);
  // The second prompt must be logged once. The first prompt is in the start view, not in this list.
  expect(logged.filter(({ kind }) => kind === "USER_PROMPT")).toHaveLength(1);
  expect(logged.filter(isRun)).toHaveLength(2);
}

// Returns true for an event of the log. Live output has no cursor, because it is not logged.
function isOfLog({ cursor }: SessionEvent): boolean {
  return cursor !== undefined;
}

function isRun(event: SessionEvent): boolean {
  return (
    event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING" && !!event.cursor
  );
}
