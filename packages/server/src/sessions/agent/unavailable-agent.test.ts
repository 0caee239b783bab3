import type {
  AgentPort,
  Caller,
  SessionReply,
  SessionRequest,
  StampedEvent,
  TaskState,
} from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import type { SessionStore } from "../../store/session-store.js";
import { StoreFault } from "../../store/store-fault.js";
import { commitTo } from "../../testing/commit-to.js";
import { openSessionRegistry } from "../session-registry.js";
import { intercept } from "./intercept.js";

const at = "2026-01-01T00:00:00.000Z";
const alice: Caller = { user: "alice", name: "alice", role: "admin" };
const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
const commands: SessionReply = { type: "commands", commands: [] };
const unchanged: SessionReply = { type: "changed", isChanged: false };
const modes: SessionReply = {
  type: "modes",
  mode: "default",
  startMode: "default",
  others: [],
};
const prompt = { type: "prompt", messageId: "m", taskId: "works", parts: [] } as const;

/** Opens a store with a session in which one task is queued, one works and one waits for an answer. */
async function openStore(): Promise<SessionStore> {
  const store = openMemoryStore();
  const enter = (taskId: string, state: TaskState): StampedEvent => ({
    kind: "STATE_CHANGE",
    taskId,
    turn: 1,
    state,
    at,
  });
  const toolCall = buildToolCall({ status: "EXECUTING" });
  const question = buildQuestion({ toolCallId: "call-2" });
  const events: StampedEvent[] = [
    enter("works", "working"),
    { ...enter("works", "working"), kind: "TOOL_CALL_UPDATE", toolCall },
    enter("asks", "working"),
    { ...enter("asks", "working"), kind: "TOOL_CALL_UPDATE", toolCall: question },
    { ...enter("asks", "input-required"), waiting: [question] } as StampedEvent,
    enter("waits", "submitted"),
  ];
  await commitTo(store, [
    {
      contextId: "c",
      session: { contextId: "c", owner: "alice", settings, createdAt: at },
      events: events.map((event, index) => ({ position: index + 1, event })),
      journal: [],
      isCritical: false,
    },
  ]);
  // The lease is free, as if the process that wrote the session had ended.
  await (await store.acquire("c", { takesOver: true })).release();
  return store;
}

/** Opens a registry whose agents cannot be opened. */
async function openStage(store: SessionStore) {
  const faults: unknown[] = [];
  const registry = openSessionRegistry({
    store,
    openAgent: () => Promise.reject(new Error("there is no directory /work")),
    onFault: (reason) => faults.push(reason),
  });
  const host = await registry.findSession("c", alice);
  if (host === undefined) throw new Error("the session is gone");
  const states = async () =>
    await Promise.all(
      ["works", "asks", "waits"].map(async (id) => (await host.log.view(id)).state),
    );
  const ask = (request: SessionRequest) => host.handle(request, alice);
  return { registry, host, faults, states, ask };
}

test("the unfinished tasks of a session fail with the reason if its agent cannot be opened [LOG-07]", async () => {
  const store = await openStore();
  const { registry, host, faults, states } = await openStage(store);
  await host.becomeOwner();
  const events = (await store.readEvents({ contextId: "c", after: 6, limit: 99 })).map(
    ({ event }) => event,
  );

  const error = "the session cannot continue: there is no directory /work";
  const common = { turn: 0, at: expect.any(String) };
  expect(await states()).toEqual(["failed", "input-required", "failed"]);
  const waits = { ...common, taskId: "waits", kind: "STATE_CHANGE" };
  const works = { ...common, taskId: "works" };
  expect(new Set(events)).toEqual(
    new Set([
      { ...waits, state: "working" },
      { ...waits, state: "failed", error },
      {
        ...works,
        kind: "TOOL_CALL_UPDATE",
        state: "working",
        toolCall: buildToolCall({
          status: "FAILED",
          result: { $case: "error", value: { message: error, type: "interrupted" } },
        }),
      },
      { ...works, kind: "STATE_CHANGE", state: "failed", error },
    ]),
  );
  expect(faults).toMatchObject([{ message: "there is no directory /work" }]);
  expect(host.log.isBusy).toBe(false);
  await registry.close();
});

test("a session whose agent cannot be opened allows only reading and cancelling", async () => {
  const { registry, ask, states, host } = await openStage(await openStore());
  const refusal = {
    type: "refused",
    code: "unsupported-operation",
    message: "the session cannot continue: there is no directory /work",
  };

  expect(await ask({ type: "list-commands" })).toEqual(commands);
  expect(await ask({ type: "get-modes" })).toEqual(modes);
  expect(await ask({ type: "withdraw", messageId: "m" })).toEqual(unchanged);
  expect(await ask({ type: "finish" })).toEqual(unchanged);
  expect(await ask({ type: "retry" })).toEqual(refusal);
  expect(await ask(prompt)).toEqual(refusal);
  expect(await ask({ type: "cancel", taskId: "works" })).toEqual(unchanged);
  expect(await ask({ type: "cancel", taskId: "asks" })).toEqual({ ...unchanged, isChanged: true });
  expect(await ask({ type: "cancel", taskId: "asks" })).toEqual(unchanged);
  expect(await states()).toEqual(["failed", "canceled", "failed"]);
  const view = await host.log.view("asks");
  expect(view).not.toHaveProperty("error");
  expect(view.items.at(-1)?.event).toMatchObject({
    toolCall: { toolCallId: "call-2", status: "CANCELLED" },
  });
  await registry.close();
});

test("a session can be read but not changed while its store refuses commits [LOG-07]", async () => {
  const full = new StoreFault("disk-full", "the disk is full");
  const store: SessionStore = { ...(await openStore()), check: () => Promise.reject(full) };
  const { registry, ask, states, faults, host } = await openStage(store);

  expect(await ask({ type: "list-commands" })).toEqual(commands);
  expect(await ask({ type: "get-modes" })).toEqual(modes);
  expect(await ask({ type: "finish" })).toEqual(unchanged);
  await expect(ask({ type: "cancel", taskId: "asks" })).rejects.toBe(full);
  await expect(ask(prompt)).rejects.toBe(full);
  expect(await states()).toEqual(["working", "input-required", "submitted"]);
  expect(host).toMatchObject({ isOwned: false, log: { lastPosition: 6, isIdle: false } });
  expect(faults).toEqual([]);
  await registry.close();
});

test("interceptors get requests in the given order, and replies in reverse order", async () => {
  const steps: string[] = [];
  const agent: AgentPort = {
    handle: async ({ type }, { user }) => {
      steps.push(`${type} of ${user}`);
      return commands;
    },
    close: async () => void steps.push("closed"),
  };
  const named = (name: string) => (next: AgentPort["handle"]) => {
    const handle: AgentPort["handle"] = async (request, caller) => {
      steps.push(`to ${name}`);
      const reply = await next(request, caller);
      steps.push(`from ${name}`);
      return reply;
    };
    return handle;
  };

  const wrapped = intercept(agent, [named("first"), named("second")]);

  expect(await wrapped.handle({ type: "list-commands" }, alice)).toBe(commands);
  await wrapped.close();
  expect(steps).toEqual([
    "to first",
    "to second",
    "list-commands of alice",
    "from second",
    "from first",
    "closed",
  ]);
});
