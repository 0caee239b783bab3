import { expect, onTestFinished, test, vi } from "vitest";
import type { InstanceStore } from "../../store/instances/instance-store.js";
import type { SessionEntry } from "../session-entries.js";
import type { SessionHost } from "../session-host.js";
import { createSessionSharer } from "./share-sessions.js";

/** Opens the sharer of one instance with the given sessions in memory. */
function openStage(uses: readonly { readonly usedAt: number; readonly isOwned?: boolean }[]) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const stage = {
    elapsed: 0,
    events: [] as string[],
    faults: [] as unknown[],
    release: () => {},
    isFailing: false,
  };
  const entries = uses.map(({ usedAt, isOwned }, index): [string, SessionEntry] => {
    const contextId = `context-${index}`;
    const host = {
      isOwned,
      async giveBack({ isStopping }: { isStopping: boolean }) {
        stage.events.push(`gives back ${index}${isStopping ? " for good" : ""}`);
        if (stage.isFailing) throw new Error("the store is away");
      },
    } as SessionHost;
    return [contextId, { usedAt, ...(isOwned !== undefined && { host }) } as SessionEntry];
  });
  const instances = {
    leaseMs: 15_000,
    takeOverEveryMs: 1_000,
    subscribeToReleases(callback: () => void) {
      stage.events.push("subscribes");
      stage.release = callback;
      return () => void stage.events.push("unsubscribes");
    },
    inbox: {
      subscribe() {
        stage.events.push("opens inbox");
        return () => void stage.events.push("closes inbox");
      },
    },
    activity: {},
  } as unknown as InstanceStore;
  const sharer = createSessionSharer({
    instances,
    entries: { all: () => entries, hosts: () => [] },
    find: async () => undefined,
    takeOver: async () => void stage.events.push("takes over"),
    elapsedMs: () => stage.elapsed,
    credentials: undefined,
    onFault: (reason) => stage.faults.push(reason),
  });
  return Object.assign(stage, {
    sharer,
    async tick() {
      vi.advanceTimersByTime(1_000);
      await new Promise(setImmediate);
    },
    take: () => stage.events.splice(0),
  });
}

test("a session that was unused for the length of a lease is given back before others are taken over [SRV-27]", async () => {
  const stage = openStage([
    { usedAt: 0, isOwned: true },
    { usedAt: 1, isOwned: true },
    { usedAt: 0, isOwned: false },
    { usedAt: 0 },
  ]);
  stage.sharer.start();
  const started = stage.take();
  stage.elapsed = 14_999;
  await stage.tick();
  const early = stage.take();
  stage.elapsed = 15_000;
  await stage.tick();

  expect(started.sort()).toEqual(["opens inbox", "subscribes"]);
  expect(early).toEqual(["takes over"]);
  expect(stage.take()).toEqual(["gives back 0", "takes over"]);
  await stage.sharer.stop();
});

test("sessions are taken over at once when another instance gives sessions back [SRV-27]", async () => {
  const stage = openStage([]);
  stage.sharer.start();
  stage.take();

  stage.release();
  await new Promise(setImmediate);

  expect(stage.take()).toEqual(["takes over"]);
  await stage.sharer.stop();
});

test("a stop ends all shared work, and then gives every owned session back [SRV-27]", async () => {
  const stage = openStage([
    { usedAt: 0, isOwned: true },
    { usedAt: 0, isOwned: false },
    { usedAt: 0, isOwned: true },
  ]);
  stage.sharer.start();
  stage.take();

  await stage.sharer.stop();
  const events = stage.take();
  await stage.tick();

  expect(events).toEqual([
    "unsubscribes",
    "closes inbox",
    "gives back 0 for good",
    "gives back 2 for good",
  ]);
  expect(stage.take()).toEqual([]);
});

test("a session that cannot be given back is reported, and the others are given back [SRV-27]", async () => {
  const stage = openStage([
    { usedAt: 0, isOwned: true },
    { usedAt: 0, isOwned: true },
  ]);
  stage.isFailing = true;
  stage.elapsed = 15_000;
  stage.sharer.start();
  stage.take();

  await stage.tick();

  expect(stage.take()).toEqual(["gives back 0", "gives back 1", "takes over"]);
  expect(stage.faults).toHaveLength(2);
  await stage.sharer.stop();
});
