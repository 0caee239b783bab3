import type { Caller } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createScriptedAgent } from "../testing/fake-agent.js";
import { openUncertainStore } from "../testing/uncertain-store.js";
import { openSessionRegistry } from "./session-registry.js";

const alice: Caller = { user: "alice", name: "alice", role: "admin" };
const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };

/** Opens a registry with one session, on a store whose connection a test can break. `say` commits text. */
async function openStage() {
  const store = openUncertainStore(openMemoryStore());
  const faults: unknown[] = [];
  const announced: number[] = [];
  let say: (text: string) => Promise<void> = async () => {};
  const registry = openSessionRegistry({
    store,
    onFault: (reason) => faults.push(reason),
    openAgent: createScriptedAgent((turn) => {
      say = turn.say;
      return new Promise(() => {});
    }),
  });
  registry.subscribeToCommits(({ events }) =>
    announced.push(...events.map(({ position }) => position)),
  );
  const host = await registry.createSession({ contextId: "context", settings }, alice);
  const prompt = (messageId: string) =>
    host.agent.prompt({ messageId, taskId: "task", parts: [{ type: "text", text: "hi" }] }, alice);
  return {
    store,
    faults,
    announced,
    registry,
    host,
    prompt,
    say: (text: string) => say(text),
    [Symbol.asyncDispose]: () => registry.close(),
  };
}

test("a commit of unknown outcome is announced only after the store was read [LOG-01]", async () => {
  await using stage = await openStage();
  const { store, host, announced } = stage;
  await stage.prompt("m");
  store.breakConnection({ isStored: true });
  const reads: (() => void)[] = [];
  store.onRead = () => new Promise((resolve) => reads.push(resolve));

  const said = stage.say("one");
  await expect.poll(() => reads).toHaveLength(1);
  const beforeRead = { lastPosition: host.log.lastPosition, announced: [...announced] };
  reads[0]?.();
  await said;

  expect(beforeRead).toEqual({ lastPosition: 2, announced: [1, 2] });
  expect({ lastPosition: host.log.lastPosition, announced }).toEqual({
    lastPosition: 3,
    announced: [1, 2, 3],
  });
});

test("a session continues if a commit of unknown outcome was stored [LOG-01]", async () => {
  await using stage = await openStage();
  const { store, host, faults } = stage;
  await stage.prompt("m");

  store.breakConnection({ isStored: true });
  await Promise.all([stage.say("one"), stage.say("two")]);
  store.repair();
  await stage.say("three");

  const events = await store.readEvents({ contextId: "context", after: 2, limit: 9 });
  expect(
    events.map(({ position, event }) => [position, event.kind === "TEXT_CONTENT" && event.text]),
  ).toEqual([
    [3, "one"],
    [4, "two"],
    [5, "three"],
  ]);
  expect(host.log).toMatchObject({ lastPosition: 5, isClosed: false });
  expect(faults).toEqual([]);
});

test("a session closes and is restored if a commit of unknown outcome was not stored [LOG-01]", async () => {
  await using stage = await openStage();
  const { store, host, announced, faults, registry } = stage;
  await stage.prompt("m");

  store.breakConnection({ isStored: false });
  const said = await Promise.allSettled([stage.say("lost"), stage.say("later")]);
  store.repair();
  const again = await registry.getTask("task", alice);

  const refused = expect.objectContaining({ code: "internal" });
  expect(said.map((each) => "reason" in each && each.reason)).toEqual([refused, refused]);
  expect([host.log.isClosed, again.host === host]).toEqual([true, false]);
  expect(again.host.log).toMatchObject({ lastPosition: 2, isClosed: false });
  expect(announced).toEqual([1, 2]);
  expect(faults).toMatchObject([
    { message: expect.stringContaining("before a commit of the session context was stored") },
  ]);
  expect(await again.host.agent.cancel("task", alice)).toBe(false);
});

test.each([
  ["has a receipt if it was stored", true, { taskId: "task", turn: 2 }],
  ["has no receipt if it was not stored", false, undefined],
])("a message whose commit has an unknown outcome %s [LOG-05]", async (_, isStored, receipt) => {
  await using stage = await openStage();
  const { store, host, announced, registry } = stage;
  await stage.prompt("first");

  store.breakConnection({ isStored });
  store.refuseReads(new Error("no connection"));
  const sent = stage.prompt("second");
  await expect(sent).rejects.toMatchObject({
    code: "agent-busy",
    message: expect.stringContaining("send the same message again"),
  });
  store.repair();

  expect(announced).toEqual([1, 2]);
  expect(host.log).toMatchObject({ lastPosition: 2, isClosed: true });
  const { host: again } = await registry.getTask("task", alice);
  expect(again.log.lastPosition).toBe(isStored ? 3 : 2);
  const found = await registry.findReceipt(alice, "second");
  if (receipt === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(receipt);
});

test("only one sweep searches for a session whose first commit was not stored [LOG-07]", async () => {
  await using stage = await openStage();
  const { store, registry } = stage;
  store.breakConnection({ isStored: false });
  await expect(stage.prompt("m")).rejects.toThrow("could not be stored and had no effect");
  store.repair();

  await registry.sweep();
  let reads = 0;
  store.onRead = async () => {
    reads += 1;
  };
  await registry.sweep();

  expect(reads).toBe(0);
  expect(registry.counters.inMemory).toBe(0);
});
