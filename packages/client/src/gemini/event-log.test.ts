import { emptyTaskView, isTerminalState, type SessionEvent } from "@dt/schema";
import { buildEvent, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { Update } from "../task/channel/agent-channel.js";
import { createEventLog, type EventLog } from "./event-log.js";

const say = (text: string) => buildEvent({ kind: "TEXT_CONTENT", text });
const done = buildEvent({ kind: "STATE_CHANGE" }, { state: "completed" });
const print = (liveContent: string) =>
  buildEvent({
    kind: "TOOL_CALL_UPDATE",
    toolCall: buildToolCall({ status: "EXECUTING", liveContent }),
  });

function open(...events: readonly SessionEvent[]): EventLog {
  const log = createEventLog(emptyTaskView("task-1", "context-1"), "log");
  log.append(events);
  return log;
}

async function read(log: EventLog, after?: string): Promise<readonly string[]> {
  const isOver = () => isTerminalState(log.view.state);
  const seen: string[] = [];
  const { signal } = new AbortController();
  for await (const update of log.follow(after, { isOver, signal })) seen.push(brief(update));
  return seen;
}

function brief(update: Update): string {
  if (update.type === "snapshot") return `snapshot at ${update.view.cursor}`;
  const { event } = update;
  if (event.kind === "TEXT_CONTENT") return event.text;
  if (event.kind === "TOOL_CALL_UPDATE") return event.toolCall.liveContent ?? event.toolCall.status;
  return event.state;
}

test("follow() yields the events after the cursor, or a snapshot if there is no cursor", async () => {
  const log = open(say("a"), say("b"), done);

  expect(await read(log, "log.0")).toEqual(["a", "b", "completed"]);
  expect(await read(log, "log.1")).toEqual(["b", "completed"]);
  expect(await read(log, "log.3")).toEqual([]);
  expect(await read(log)).toEqual(["snapshot at log.3"]);
});

test("a follower waits for events and gets each event once", async () => {
  const log = open(say("a"));

  const reading = read(log, "log.0");
  log.append([say("b")]);
  log.append([done]);

  expect(await reading).toEqual(["a", "b", "completed"]);
  expect(log.followers).toBe(0);
});

test("a follower gets only the newest live output, and the log stores none", async () => {
  const log = open(print("1"), print("2"));
  const reading = read(log, "log.0");
  await Promise.resolve();
  const toolCall = buildToolCall({ status: "SUCCEEDED" });

  log.append([buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall }), done]);

  expect(await reading).toEqual(["2", "SUCCEEDED", "completed"]);
  expect(await read(log, "log.0")).toEqual(["SUCCEEDED", "completed"]);
});

test("a follower that lags too far gets a snapshot instead of the dropped events", async () => {
  const log = open(...Array.from({ length: 10_000 }, (_, index) => say(String(index))), done);

  expect(await read(log, "log.0")).toEqual(["snapshot at log.10001"]);
  expect((await read(log, "log.9000")).length).toBe(1_001);
});

test("a cursor of another log, or without a position, is refused", async () => {
  await expect(read(open(done), "other.1")).rejects.toMatchObject({ code: "cursor-not-found" });
  await expect(read(open(done), "log")).rejects.toMatchObject({ code: "cursor-not-found" });
});

test("a follower ends at once when its signal aborts", async () => {
  const abort = new AbortController();
  const log = open();
  const reading = (async () => {
    for await (const _ of log.follow("log.0", { isOver: () => false, signal: abort.signal }));
  })();

  abort.abort();

  await expect(reading).resolves.toBeUndefined();
});
