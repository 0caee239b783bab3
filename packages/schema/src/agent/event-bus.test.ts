import { expect, test } from "vitest";
import type { SessionEvent, StampedEvent } from "../event/agent-event.js";
import { buildEvent } from "../testing/build-event.js";
import type { AgentLedger } from "./agent-port.js";
import { createEventBus } from "./event-bus.js";
import { observeLedger } from "./observe-ledger.js";

const said = (text: string): StampedEvent => ({
  kind: "TEXT_CONTENT",
  text,
  taskId: "t",
  turn: 1,
  state: "working",
  at: "now",
});

/** Creates a ledger whose `append` resolves only after the test calls `commit`. */
function heldLedger() {
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const ledger: AgentLedger = {
    async append() {
      await committed;
      return 4;
    },
    publishLive() {},
  };
  return { ledger, commit: () => commit() };
}

test("the bus calls the handlers of a kind until they are removed [SRV-26]", () => {
  const bus = createEventBus();
  const received: string[] = [];
  const first = ({ text }: { text: string }) => void received.push(`first ${text}`);
  bus.on("TEXT_CONTENT", first);
  bus.on("TEXT_CONTENT", ({ text }) => void received.push(`second ${text}`));
  bus.on("THOUGHT", () => void received.push("thought"));

  bus.emit(buildEvent({ kind: "TEXT_CONTENT", text: "a" }));
  bus.off("TEXT_CONTENT", first);
  bus.off("QUEUE", () => {});
  bus.emit(buildEvent({ kind: "TEXT_CONTENT", text: "b" }));
  bus.emit(buildEvent({ kind: "STATE_CHANGE" }));

  expect(received).toEqual(["first a", "second a", "second b"]);
});

test("a handler may remove itself while it is called [SRV-26]", () => {
  const bus = createEventBus();
  const received: string[] = [];
  const once = ({ text }: { text: string }) => {
    received.push(text);
    bus.off("TEXT_CONTENT", once);
  };
  bus.on("TEXT_CONTENT", once);
  bus.on("TEXT_CONTENT", ({ text }) => void received.push(text));

  for (const text of ["a", "b"]) bus.emit(buildEvent({ kind: "TEXT_CONTENT", text }));

  expect(received).toEqual(["a", "a", "b"]);
});

test("onEvent is called with events after their commit, and with live output at once [SRV-26, LOG-01]", async () => {
  const { ledger, commit } = heldLedger();
  const seen: SessionEvent[] = [];
  const observed = observeLedger(ledger, {
    contextId: "c",
    onEvent: (event) => void seen.push(event),
    cursorOf: (position) => `cursor ${position}`,
  });

  const appended = observed.append({ events: [said("a"), said("b")] });
  observed.publishLive(said("live"));
  const before = seen.length;
  commit();

  expect(await appended).toBe(4);
  expect(before).toBe(1);
  const header = { kind: "TEXT_CONTENT", taskId: "t", contextId: "c", state: "working", at: "now" };
  expect(seen).toEqual([
    { ...header, text: "live" },
    { ...header, text: "a", cursor: "cursor 5" },
    { ...header, text: "b", cursor: "cursor 6" },
  ]);
});

test("an append succeeds even if onEvent throws [SRV-26]", async () => {
  const { ledger, commit } = heldLedger();
  const faults: unknown[] = [];
  const observed = observeLedger(ledger, {
    contextId: "c",
    onEvent() {
      throw new Error("broken handler");
    },
    onFault: (reason) => void faults.push(reason),
  });
  commit();

  expect(await observed.append({ events: [said("a")] })).toBe(4);
  expect(faults).toEqual([new Error("broken handler")]);
});
