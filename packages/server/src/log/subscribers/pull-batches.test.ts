import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { LoggedEvent, SessionLog } from "../session-log.js";
import { type Batch, pullBatches } from "./pull-batches.js";
import type { SubscriberInfo } from "./subscribers.js";

const logged = (position: number): LoggedEvent => ({ position }) as LoggedEvent;

/** Opens a log to which a test adds events and live output. */
function openLog() {
  const events: LoggedEvent[] = [];
  const live = new Map<string, { version: number; logged: LoggedEvent }>();
  const subscribers = new Set<() => void>();
  const state = { version: 0, isClosed: false, position: () => -1, client: undefined as unknown };
  const notify = () => {
    state.version += 1;
    for (const subscriber of subscribers) subscriber();
  };
  const log = {
    live,
    get version() {
      return state.version;
    },
    get isClosed() {
      return state.isClosed;
    },
    get lastPosition() {
      return events.length;
    },
    read: async (after: number) => events.slice(after, after + 2),
    subscribers: {
      add(callback: () => void, info: SubscriberInfo) {
        subscribers.add(callback);
        Object.assign(state, info);
        return () => subscribers.delete(callback);
      },
    },
  } as unknown as SessionLog;
  return {
    log,
    subscribers,
    state,
    add(count: number) {
      for (let left = count; left > 0; left -= 1) events.push(logged(events.length + 1));
      notify();
    },
    publishLive(id: string, position: number) {
      live.set(id, { version: state.version + 1, logged: logged(position) });
      notify();
    },
    close() {
      state.isClosed = true;
      notify();
    },
  };
}

const positions = ({ value }: IteratorResult<Batch, void>) =>
  value && [
    value.events.map(({ position }) => position),
    value.live.map(({ position }) => position),
  ];

test("batches have no gaps, and live output comes after committed events", async () => {
  const { log, state, add, publishLive } = openLog();
  add(3);
  publishLive("call", 100);
  const batches = pullBatches(log, 0, new AbortController().signal, { user: "a", name: "A" });

  expect(positions(await batches.next())).toEqual([[1, 2], []]);
  expect(state.position()).toBe(2);
  expect(state.client).toEqual({ user: "a", name: "A" });
  expect(positions(await batches.next())).toEqual([[3], [100]]);
  const next = batches.next();
  publishLive("call", 101);
  expect(positions(await next)).toEqual([[], [101]]);
  const last = batches.next();
  add(1);
  expect(positions(await last)).toEqual([[4], []]);
  await batches.return();
});

test("a subscription ends when its signal aborts", async () => {
  const { log, subscribers } = openLog();
  const abort = new AbortController();
  const batches = pullBatches(log, 0, abort.signal);
  const next = batches.next();
  await new Promise(setImmediate);
  expect(subscribers.size).toBe(1);

  abort.abort();

  expect(await next).toEqual({ done: true, value: undefined });
  expect(subscribers.size).toBe(0);
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});

test("a log that closes ends its subscriptions with agent-busy", async () => {
  const { log, subscribers, close } = openLog();
  const next = pullBatches(log, 0, new AbortController().signal).next();
  await new Promise(setImmediate);

  close();

  await expect(next).rejects.toMatchObject({ code: "agent-busy" });
  expect(subscribers.size).toBe(0);
});

/** Creates a log that calls `during` before each of its reads returns. */
function racing(log: SessionLog, during: () => void): SessionLog {
  const read = async (after: number) => {
    const events = await log.read(after);
    during();
    return events;
  };
  return Object.assign(Object.create(log) as SessionLog, { read });
}

test("an event that is added during a read is not missed", async () => {
  const { log, add, subscribers } = openLog();
  let isAdded = false;
  const batches = pullBatches(
    racing(log, () => {
      if (!isAdded) add(1);
      isAdded = true;
    }),
    0,
    new AbortController().signal,
  );

  expect(positions(await batches.next())).toEqual([[1], []]);
  await batches.return();
  expect(subscribers.size).toBe(0);
});

test("a subscription ends if its signal aborts during a read", async () => {
  const { log, subscribers } = openLog();
  const abort = new AbortController();

  const next = pullBatches(
    racing(log, () => abort.abort()),
    0,
    abort.signal,
  ).next();

  expect(await next).toEqual({ done: true, value: undefined });
  expect(subscribers.size).toBe(0);
});
