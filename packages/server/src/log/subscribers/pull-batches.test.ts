import { expect, test } from "vitest";
import { createCursorCodec } from "../cursor.js";
import { type Batch, follow } from "./pull-batches.js";
import type { LoggedEvent, SessionLog } from "../session-log.js";

const logged = (seq: number): LoggedEvent => ({ seq }) as LoggedEvent;

/** A log that grows by hand. */
function openLog() {
  const events: LoggedEvent[] = [];
  const live = new Map<string, { version: number; logged: LoggedEvent }>();
  const observers = new Set<() => void>();
  const state = { version: 0, isClosed: false, place: () => -1, who: undefined as unknown };
  const notify = () => {
    state.version += 1;
    for (const observer of observers) observer();
  };
  const log = {
    live,
    get version() {
      return state.version;
    },
    get isClosed() {
      return state.isClosed;
    },
    get lastSeq() {
      return events.length;
    },
    read: async (after: number) => events.slice(after, after + 2),
    observe(callback: () => void, info: { place: () => number; who: unknown }) {
      observers.add(callback);
      Object.assign(state, info);
      return () => observers.delete(callback);
    },
  } as unknown as SessionLog;
  return {
    log,
    observers,
    state,
    add(count: number) {
      for (let left = count; left > 0; left -= 1) events.push(logged(events.length + 1));
      notify();
    },
    print(id: string, seq: number) {
      live.set(id, { version: state.version + 1, logged: logged(seq) });
      notify();
    },
    close() {
      state.isClosed = true;
      notify();
    },
  };
}

const seqs = ({ value }: IteratorResult<Batch, void>) =>
  value && [value.events.map(({ seq }) => seq), value.live.map(({ seq }) => seq)];

test("batches follow each other without a gap, live output after the events that are there", async () => {
  const { log, state, add, print } = openLog();
  add(3);
  print("call", 100);
  const batches = follow(log, 0, new AbortController().signal, { user: "a", name: "A" });

  expect(seqs(await batches.next())).toEqual([[1, 2], []]);
  expect(state.place()).toBe(2);
  expect(state.who).toEqual({ user: "a", name: "A" });
  expect(seqs(await batches.next())).toEqual([[3], [100]]);
  const next = batches.next();
  print("call", 101);
  expect(seqs(await next)).toEqual([[], [101]]);
  const last = batches.next();
  add(1);
  expect(seqs(await last)).toEqual([[4], []]);
  await batches.return();
});

test("a follower ends with its signal, and observes no longer", async () => {
  const { log, observers } = openLog();
  const abort = new AbortController();
  const batches = follow(log, 0, abort.signal);
  const next = batches.next();
  await new Promise(setImmediate);
  expect(observers.size).toBe(1);

  abort.abort();

  expect(await next).toEqual({ done: true, value: undefined });
  expect(observers.size).toBe(0);
});

test("a log that closes sends its followers away", async () => {
  const { log, observers, close } = openLog();
  const next = follow(log, 0, new AbortController().signal).next();
  await new Promise(setImmediate);

  close();

  await expect(next).rejects.toMatchObject({ code: "agent-busy" });
  expect(observers.size).toBe(0);
});

test("a cursor names a place of its own session alone", () => {
  const session = { contextId: "c", createdAt: "2026-01-01" };
  const cursors = createCursorCodec(session);
  const others = [
    { ...session, contextId: "d" },
    { ...session, createdAt: "2026-01-02" },
  ];

  const position = { seq: 123, epoch: 7 };
  const older = { seq: 123, epoch: 0 };
  const cursor = cursors.encode(position);

  expect(cursors.decode(cursor)).toEqual(position);
  expect(cursors.decode(cursors.encode(older))).toEqual(older);
  expect(cursors.encode(older).split(".")).toHaveLength(2);
  expect(cursors.decode("0")).toEqual({ seq: 0, epoch: 0 });
  for (const wrong of [
    ...others.map((other) => createCursorCodec(other).encode(position)),
    "123",
    "x",
    ` ${cursor}`,
    `${cursor}-`,
    `1.${cursor}`,
    `1${"0".repeat(15)}.${cursors.encode({ seq: 1, epoch: 0 }).slice(2)}`,
  ])
    expect(() => cursors.decode(wrong)).toThrow(
      expect.objectContaining({ code: "cursor-not-found" }),
    );
});
