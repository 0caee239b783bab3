import { getEventListeners } from "node:events";
import { emptyTaskView, ProtocolError, reduceTaskView, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { afterEach, expect, test, vi } from "vitest";
import type { TaskChannel, Update } from "./channel/agent-channel.js";
import { createTaskReader } from "./task-reader.js";

const origin = { principal: "local", name: "" };
const said = (text: string, cursor: string, taskId = "one"): Update => ({
  type: "event",
  event: buildEvent({ kind: "TEXT_CONTENT", text }, { taskId, cursor }),
});
const prompted = (messageId: string, cursor: string, taskId = "one"): Update => ({
  type: "event",
  event: buildEvent({ kind: "USER_PROMPT", messageId, parts: [], origin }, { taskId, cursor }),
});
const ended = (cursor: string, taskId = "one"): Update => ({
  type: "event",
  event: buildEvent({ kind: "STATE_CHANGE" }, { taskId, cursor, state: "completed" }),
});

afterEach(() => {
  vi.useRealTimers();
});

type Follow = (taskId: string, after: string | undefined) => readonly Update[];

function openReader(
  follow: Follow,
  { start = {} as Partial<TaskView>, whenSent = Promise.resolve(), repeatsPrompts = true } = {},
) {
  const follows: [string, string | undefined][] = [];
  const channel: Pick<TaskChannel, "follow" | "repeatsPrompts"> = {
    repeatsPrompts,
    async *follow(taskId, after) {
      follows.push([taskId, after]);
      yield* follow(taskId, after);
    },
  };
  const first = { ...emptyTaskView("one", "c"), state: "working" as const, ...start };
  const closing = new AbortController();
  const reader = createTaskReader(
    channel,
    { closing: closing.signal, whenSent: () => whenSent },
    first,
  );
  async function read(after?: string): Promise<string[]> {
    const seen: string[] = [];
    for await (const event of reader.read(after === undefined ? {} : { after })) {
      if (event.kind === "TEXT_CONTENT") seen.push(event.text);
      else seen.push(event.kind === "USER_PROMPT" ? `>${event.messageId}` : event.state);
    }
    return seen;
  }
  return { reader, read, follows, closing };
}

const sentView = (taskId: string, messageId: string): TaskView =>
  reduceTaskView(
    emptyTaskView(taskId, "c"),
    buildEvent({ kind: "USER_PROMPT", messageId, parts: [], origin }, { taskId, contextId: "c" }),
  );

test("a loop reads its task from the position of the view", async () => {
  const updates = [said("a", "6"), ended("7")];
  const { reader, read, follows, closing } = openReader(() => updates, { start: { cursor: "5" } });

  expect(await read()).toEqual(["a", "completed"]);

  expect(follows).toEqual([["one", "5"]]);
  expect(reader.view).toMatchObject({ state: "completed", cursor: "7" });
  expect(reader.isEnded).toBe(true);
  expect(getEventListeners(closing.signal, "abort")).toEqual([]);
});

test("an event without a cursor does not change the position of a loop", async () => {
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "b" }, { taskId: "one" });
  const updates: Update[] = [said("a", "6"), { type: "event", event }, ended("8")];
  const { reader, read } = openReader(() => updates, { start: { cursor: "5" } });

  expect(await read()).toEqual(["a", "b", "completed"]);
  expect(reader.view).toMatchObject({ cursor: "8", items: [{ event: { text: "ab" } }] });
});

test("isEnded is false until the last task of the conversation has ended", async () => {
  const { reader } = openReader((taskId) => [ended("1", taskId)]);
  reader.sent({ ...sentView("two", "n"), cursor: "0" }, reader.view);
  const isEnded: boolean[] = [];

  for await (const _ of reader.read()) isEnded.push(reader.isEnded);

  expect(isEnded).toEqual([false, true]);
});

test("a loop yields a prompt of the first view only if the loop starts from a cursor", async () => {
  const { items } = sentView("one", "m");
  const updates = [prompted("m", "1"), prompted("n", "2"), ended("3")];
  const { read } = openReader(() => updates, { start: { items } });

  expect(await read()).toEqual([">n", "completed"]);
  expect(await read("0")).toEqual([">m", ">n", "completed"]);
});

test("a loop continues with the next task of the conversation", async () => {
  const { reader, read, follows } = openReader((taskId) =>
    taskId === "one" ? [said("a", "1"), ended("2")] : [said("b", "1", "two"), ended("2", "two")],
  );
  reader.sent({ ...sentView("two", "n"), cursor: "0" }, reader.view);
  expect(reader.taskId).toBe("two");
  expect(reader.isEnded).toBe(false);

  expect(await read()).toEqual(["a", "completed", "b", "completed"]);

  expect(follows).toEqual([
    ["one", undefined],
    ["two", "0"],
  ]);
  expect(reader.isEnded).toBe(true);
});

test.each([
  ["repeats prompts", true],
  ["does not repeat prompts", false],
])("a loop waits for a prompt to an agent that %s", async (_, repeatsPrompts) => {
  let send = () => {};
  const whenSent = new Promise<void>((resolve) => {
    send = resolve;
  });
  let round = 0;
  const stage = openReader(
    () => {
      round += 1;
      return round === 1 ? [ended("1")] : [prompted("n", "2"), ended("3")];
    },
    { whenSent, repeatsPrompts },
  );

  const seen = stage.read();
  await new Promise(setImmediate);
  stage.reader.sent(sentView("one", "n"), { ...stage.reader.view });
  send();

  expect(await seen).toEqual(["completed", ">n", "completed"]);
  expect(stage.follows).toEqual([
    ["one", undefined],
    ["one", "1"],
  ]);
});

test("a loop polls for an accepted prompt until its turn comes", async () => {
  let round = 0;
  const { reader, read } = openReader(() => {
    round += 1;
    return round < 3 ? [] : [prompted("n", "2"), ended("3")];
  });
  reader.sent(sentView("one", "n"), reader.view);

  expect(await read()).toEqual([">n", "completed"]);
  expect(round).toBe(3);
});

test("pauses between polls for a prompt grow up to a second, and start again after an event", async () => {
  vi.useFakeTimers();
  const start = Date.now();
  const times: number[] = [];
  const { reader, read } = openReader(() => {
    times.push(Date.now() - start);
    return times.length === 3 ? [said("news", "1")] : [];
  });
  reader.sent(sentView("one", "n"), reader.view);

  const seen = read();
  await vi.advanceTimersByTimeAsync(10_000);

  expect(await seen).toEqual(["news"]);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits).toEqual([10, 20, 10, 20, 50, 100, 200, 500, 1_000]);
});

test("a signal ends a loop that polls for a prompt", async () => {
  vi.useFakeTimers();
  const { reader, follows } = openReader(() => []);
  reader.sent(sentView("one", "n"), reader.view);
  const leaving = new AbortController();
  const reading = (async () => {
    for await (const _ of reader.read({ signal: leaving.signal }));
    return "left";
  })();
  await vi.advanceTimersByTimeAsync(15);

  leaving.abort();

  expect(await reading).toBe("left");
  expect(follows).toHaveLength(2);
});

test("a loop does not poll for a prompt that the agent does not repeat", async () => {
  let round = 0;
  const { reader, read } = openReader(
    () => {
      round += 1;
      return [];
    },
    { repeatsPrompts: false },
  );
  reader.sent(sentView("one", "n"), reader.view);

  expect(await read()).toEqual([]);
  expect(round).toBe(1);
});

test("a cursor that the agent has lost is replaced by a snapshot", async () => {
  const { read, follows } = openReader(
    (_, after) => {
      if (after !== undefined) throw new ProtocolError("cursor-not-found", "lost");
      const view = { ...emptyTaskView("one", "c"), state: "completed" as const, cursor: "9" };
      return [{ type: "snapshot", view }];
    },
    { start: { cursor: "5" } },
  );

  expect(await read()).toEqual(["completed"]);
  expect(follows).toEqual([
    ["one", "5"],
    ["one", undefined],
  ]);
});

test.each([
  ["an unknown cursor of the caller", "5", "cursor-not-found"],
  ["a refusal for another reason", undefined, "task-not-found"],
] as const)("a loop rejects with the error for %s", async (_, after, code) => {
  const { read, follows } = openReader(
    () => {
      throw new ProtocolError(code, "no");
    },
    { start: { cursor: "1" } },
  );

  await expect(read(after)).rejects.toMatchObject({ code });
  expect(follows).toHaveLength(1);
});

test("a prompt to the same task changes the state in the view at once", () => {
  const { reader } = openReader(() => [], { start: { state: "input-required" } });

  reader.sent({ ...sentView("one", "n"), state: "working" }, reader.view);

  expect(reader.view.state).toBe("working");
});

test("a loop reads the events of a prompt while another prompt is being sent", async () => {
  let round = 0;
  const { reader } = openReader(
    () => {
      round += 1;
      return round === 1 ? [said("a", "1")] : [prompted("n", "2"), said("b", "3")];
    },
    { whenSent: new Promise(() => {}) },
  );
  const seen: string[] = [];

  for await (const event of reader.read()) {
    if (event.kind === "TEXT_CONTENT") seen.push(event.text);
    if (seen.length === 1) reader.sent(sentView("one", "n"), { ...reader.view });
    if (seen.length === 2) break;
  }

  expect(seen).toEqual(["a", "b"]);
});

test("a loop that is left while a prompt is being sent ends quietly", async () => {
  const { reader } = openReader(() => [ended("1")], { whenSent: new Promise(() => {}) });
  const leaving = new AbortController();
  const reading = (async () => {
    for await (const _ of reader.read({ signal: leaving.signal }));
    return "left";
  })();
  await new Promise(setImmediate);

  leaving.abort(new Error("enough"));

  expect(await reading).toBe("left");
});

test("a loop that lost its cursor rejects if the agent refuses the snapshot too", async () => {
  let round = 0;
  const { reader, read, follows } = openReader(() => {
    round += 1;
    if (round > 1) throw new ProtocolError("cursor-not-found", "lost");
    reader.sent(sentView("one", "n"), reader.view);
    return [said("a", "1")];
  });

  await expect(read("0")).rejects.toMatchObject({ code: "cursor-not-found" });
  expect(follows.map(([, after]) => after)).toEqual(["0", "1", undefined]);
});
