import { getEventListeners } from "node:events";
import type { SessionEvent, StampedEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "./memory-ledger.js";

const textEvent = (text: string): StampedEvent => ({
  kind: "TEXT_CONTENT",
  text,
  taskId: "t",
  turn: 1,
  state: "working",
  at: "",
});
const committedEvent = (text: string, cursor?: string) => {
  const { turn: _, ...event } = textEvent(text);
  return { ...event, contextId: "session", ...(cursor !== undefined && { cursor }) };
};

test("an appended event is stored and published, and live output is only published", async () => {
  const ledger = openMemoryLedger();
  const observed: SessionEvent[] = [];
  const stop = ledger.subscribe((event) => observed.push(event));

  expect(
    await ledger.append({ events: [textEvent("a"), textEvent("b")], journal: [{ x: 1 }] }),
  ).toBe(0);
  ledger.publishLive(textEvent("live"));
  expect(await ledger.append({ events: [textEvent("c")] })).toBe(2);
  stop();
  await ledger.append({ events: [textEvent("d")] });

  expect(ledger.events).toEqual([
    committedEvent("a", "1"),
    committedEvent("b", "2"),
    committedEvent("c", "3"),
    committedEvent("d", "4"),
  ]);
  expect(ledger.journal).toEqual([{ x: 1 }]);
  expect(observed).toEqual([
    committedEvent("a", "1"),
    committedEvent("b", "2"),
    committedEvent("live"),
    committedEvent("c", "3"),
  ]);
});

test("a read yields the events after a position, then new ones, until it is aborted", async () => {
  const ledger = openMemoryLedger({ contextId: "c" });
  const abort = new AbortController();
  await ledger.append({ events: [textEvent("a"), textEvent("b")] });
  const reader = ledger.read({ after: 1, signal: abort.signal });

  expect((await reader.next()).value).toMatchObject({ text: "b", contextId: "c" });
  const next = reader.next();
  await ledger.append({ events: [textEvent("c")] });
  expect((await next).value).toMatchObject({ text: "c" });
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  const last = reader.next();
  await new Promise(setImmediate);
  abort.abort();
  expect(await last).toEqual({ done: true, value: undefined });
});
