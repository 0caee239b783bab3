import { ProtocolError, type SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openSessionLog, type SessionLog, type WritableLog } from "../log/session-log.js";
import type { SessionHost } from "../sessions/session-host.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { commitTo } from "../testing/commit-to.js";
import { event, first, next, session } from "../testing/store-checks.js";
import { pullLiveEvents } from "./live-events.js";
import { createLiveHost } from "./live-host.js";

const owner = { user: "alice", name: "alice", role: "admin" } as const;

/** Creates a live host. A test replaces `found.host`, as if the session were opened again after a failed commit. */
function openStage() {
  const store = openMemoryStore();
  const open = (lastPosition = 0): WritableLog => openSessionLog({ session, lastPosition, store });
  const hostOf = (log: SessionLog) => ({ session, log }) as unknown as SessionHost;
  const found: { host: SessionHost | undefined } = { host: hostOf(open()) };
  const closing = new AbortController();
  const live = createLiveHost({
    sessions: { findSession: async () => found.host },
    contextId: "context",
    owner,
    first: found.host as SessionHost,
    closing: closing.signal,
  });
  return { store, open, hostOf, found, closing, live };
}

test("until its release, a live host has one subscription, which moves if the session is reopened", async () => {
  const { open, hostOf, found, live } = openStage();
  const [before, after] = [found.host as SessionHost, hostOf(open())];
  const counts = () => [before, after].map(({ log }) => log.subscribers.size);

  await live.current();
  const first = counts();
  found.host = after;
  expect(await live.current()).toBe(after);
  await live.current();
  const second = counts();
  live.release();

  expect([first, second, counts()]).toEqual([
    [1, 0],
    [0, 1],
    [0, 0],
  ]);
});

test("the last events of a session stay in memory after the session was opened again", async () => {
  const { open, hostOf, found, live } = openStage();
  const log = open();
  found.host = hostOf(log);
  await live.current();
  // The store does not have this event, so it can be read only from memory.
  log.announce([{ position: 1, epoch: 1, event: { ...event(1), state: "completed" } }]);

  await live.current();

  expect((await log.read(0)).map(({ position }) => position)).toEqual([1]);
});

test("getting the host of a live session fails after the session was deleted or closed", async () => {
  const { found, closing, live } = openStage();

  found.host = undefined;
  await expect(live.current()).rejects.toMatchObject({
    name: "SetupError",
    message: "the session context no longer exists",
  });
  closing.abort();

  await expect(live.current()).rejects.toMatchObject({
    code: "agent-busy",
    message: "the session is closed",
  });
});

test("the events of a session continue after the last position when the session is opened again", async () => {
  const { store, open } = openStage();
  await commitTo(store, [first([1, 2])]);
  const [before, after] = [open(2), open(3)];
  // After the log has closed, the session cannot be opened at the first attempt.
  const outcomes = [before, undefined, after];
  const host = {
    async current() {
      const log = outcomes.shift();
      if (log === undefined) throw new Error("the disk is full");
      return { log } as unknown as SessionHost;
    },
  };
  const gone = new AbortController();
  const events = pullLiveEvents(host, 1, gone.signal);
  const textsOf = ({ value }: IteratorResult<readonly SessionEvent[], void>) =>
    value?.map((each) => each.kind === "TEXT_CONTENT" && each.text);

  const texts = [textsOf(await events.next())];
  const later = events.next();
  await commitTo(store, [next([3])]);
  before.close();
  texts.push(textsOf(await later));
  const last = events.next();
  gone.abort();

  expect(texts).toEqual([['text 2 \u2603 "quoted"'], ['text 3 \u2603 "quoted"']]);
  expect(await last).toEqual({ done: true, value: undefined });
});

test.each([
  ["a system error", new Error("the disk is gone")],
  ["a protocol error of an open log", new ProtocolError("internal", "the session is damaged")],
])(
  "reading the events of a live session fails with the error of its log: %s",
  async (_what, reason) => {
    const { open } = openStage();
    const log = Object.assign(Object.create(open()) as SessionLog, {
      read: () => Promise.reject(reason),
    });
    const host = { log } as unknown as SessionHost;

    const events = pullLiveEvents({ current: async () => host }, 0, new AbortController().signal);

    await expect(events.next()).rejects.toBe(reason);
  },
);
