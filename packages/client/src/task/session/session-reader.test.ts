import { getEventListeners } from "node:events";
import {
  emptyTaskView,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { SessionChannel } from "../channel/agent-channel.js";
import { createSessionReader } from "./session-reader.js";

const origin = { principal: "local", name: "" };

/**
 * Opens a session whose log the test extends; with `untilIdle`, a stream ends after the last event.
 */
function openSession({
  isJoined = false,
  start = {} as Partial<TaskView>,
  whenSent = Promise.resolve(),
  onGet = () => {},
} = {}) {
  const log: SessionEvent[] = [];
  const follows: { readonly after: string; readonly untilIdle: boolean }[] = [];
  const gets: (string | number | undefined)[] = [];
  let refusals: unknown[] = [];
  const cuts = new Map<number, unknown>();
  let grown = () => {};
  const closing = new AbortController();
  const viewOf = (taskId: string): TaskView =>
    log
      .filter((event) => event.taskId === taskId)
      .reduce(reduceTaskView, emptyTaskView(taskId, "c"));
  const channel: SessionChannel = {
    continuesEndedTasks: false,
    send: async () => viewOf("one"),
    async get(taskId, signal, historyLength) {
      onGet();
      signal?.throwIfAborted();
      gets.push(taskId, historyLength);
      return { ...viewOf(taskId), cursor: String(log.length) };
    },
    cancel: async () => {},
    async *followSession(_, after, { signal, untilIdle }) {
      follows.push({ after, untilIdle });
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      for (let at = Number(after); !signal.aborted; ) {
        const cut = cuts.get(at);
        cuts.delete(at);
        if (cut !== undefined) throw cut;
        const event = log[at];
        if (event !== undefined) {
          at += 1;
          yield event;
        } else if (untilIdle) return;
        else
          await new Promise<void>((resolve) => {
            grown = resolve;
            signal.addEventListener("abort", () => resolve());
          });
      }
    },
  };
  const first = { ...emptyTaskView("one", "c"), cursor: "0", state: "working" as const, ...start };
  const reader = createSessionReader(
    { channel, closing: closing.signal, whenSent: () => whenSent, isJoined },
    first,
  );

  return {
    reader,
    follows,
    gets,
    closing,
    /** Breaks the next stream that reaches a position of the log. */
    cutAt: (position: number, reason: unknown) => void cuts.set(position, reason),
    /** Adds an event with the ids of the first task; its other fields stay unchanged. */
    addEvent(event: SessionEvent) {
      log.push({ ...event, taskId: "one", contextId: "c" });
      grown();
    },
    refuse: (...reasons: readonly unknown[]) => {
      refusals = [...reasons];
    },
    add(taskId: string, ...events: readonly (string | SessionEvent["kind"])[]) {
      for (const word of events) {
        const header = { taskId, contextId: "c", cursor: String(log.length + 1) };
        const isState = ["working", "completed", "input-required", "submitted"].includes(word);
        log.push(
          isState
            ? buildEvent({ kind: "STATE_CHANGE" }, { ...header, state: word as TaskState })
            : word.startsWith(">")
              ? buildEvent(
                  { kind: "USER_PROMPT", messageId: word.slice(1), parts: [], origin },
                  header,
                )
              : buildEvent({ kind: "TEXT_CONTENT", text: word }, header),
        );
      }
      grown();
    },
    async read(options: Parameters<typeof reader.read>[0] = {}, count = 99) {
      const seen: string[] = [];
      for await (const event of reader.read(options)) {
        seen.push(wordOf(event));
        if (seen.length === count) break;
      }
      return seen;
    },
  };
}

function wordOf(event: SessionEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  return event.kind === "USER_PROMPT" ? `>${event.messageId}` : event.state;
}

const sentView = (taskId: string, messageId: string): TaskView =>
  reduceTaskView(
    emptyTaskView(taskId, "c"),
    buildEvent({ kind: "USER_PROMPT", messageId, parts: [], origin }, { taskId, contextId: "c" }),
  );

test("a loop ends with its task, even if other tasks of the session continue", async () => {
  const session = openSession();
  session.add("one", ">m", "a", "completed");
  session.add("two", ">n", "b");

  expect(await session.read()).toEqual([">m", "a", "completed"]);

  expect(session.reader.view).toMatchObject({ taskId: "one", state: "completed", cursor: "3" });
  expect(session.reader.isEnded).toBe(true);
  expect(session.follows).toEqual([{ after: "0", untilIdle: true }]);
  expect(session.gets).toEqual([]);
  expect(getEventListeners(session.closing.signal, "abort")).toEqual([]);
});

test("a second loop yields nothing by default, and the later events if it starts from a cursor", async () => {
  const session = openSession();
  session.add("one", ">m", "a", "completed");
  await session.read();
  const { view } = session.reader;

  expect(await session.read()).toEqual([]);
  expect(await session.read({ after: "1" })).toEqual(["a", "completed"]);
  expect(session.reader.view).toBe(view);
  expect(session.follows.map(({ after }) => after)).toEqual(["0", "1"]);
});

test("a loop yields a prompt of the first view only if the loop starts from a cursor", async () => {
  const { items } = sentView("one", "m");
  const session = openSession({ start: { items } });
  session.add("one", ">m", "a", "completed");

  expect(await session.read()).toEqual(["a", "completed"]);
  expect(await session.read({ after: "0" })).toEqual([">m", "a", "completed"]);
});

test("a loop with the option staysOn yields events of every task until the loop is left", async () => {
  const session = openSession();
  session.add("one", "a", "completed");
  session.add("two", ">n", "b", "completed");

  expect(await session.read({ staysOn: true }, 5)).toEqual([
    "a",
    "completed",
    ">n",
    "b",
    "completed",
  ]);

  expect(session.follows).toEqual([{ after: "0", untilIdle: false }]);
  expect(session.reader.taskId).toBe("two");
});

test("a loop continues with the task that this handle prompted", async () => {
  const session = openSession();
  session.add("one", "a", "completed");
  await session.read();

  session.reader.sent(sentView("two", "n"), session.reader.view);
  const shown = session.reader.view;
  session.add("two", ">n", "b", "completed");

  expect(shown).toMatchObject({ taskId: "two", cursor: "2", state: "working" });
  expect(await session.read()).toEqual([">n", "b", "completed"]);
  expect(session.reader.taskId).toBe("two");
});

test("an idle task ends the loop of its handle", async () => {
  const session = openSession();
  session.add("one", "a", "input-required");

  expect(await session.read()).toEqual(["a", "input-required"]);
  expect(session.gets).toEqual(["one", 0]);
  expect(session.reader.isEnded).toBe(false);
});

test("a handle that joined an idle session waits for turns of other clients", async () => {
  const session = openSession({ isJoined: true, start: { state: "input-required" } });

  const seen = session.read({}, 3);
  await new Promise(setImmediate);
  session.add("one", ">n", "b", "input-required");

  expect(await seen).toEqual([">n", "b", "input-required"]);
  expect(session.follows).toEqual([
    { after: "0", untilIdle: true },
    { after: "0", untilIdle: false },
  ]);
});

test("a handle that joined an idle session waits only for its own turn after a prompt", async () => {
  const session = openSession({ isJoined: true, start: { state: "input-required" } });
  session.reader.sent(sentView("one", "n"), session.reader.view);
  session.add("one", ">n", "b", "input-required");

  expect(await session.read()).toEqual([">n", "b", "input-required"]);
});

test("a loop on a joined idle session ends if a request finds the session's task ended", async () => {
  const session = openSession({
    isJoined: true,
    start: { state: "input-required", cursor: "1" },
  });
  session.add("one", "completed");

  expect(await session.read()).toEqual([]);
  expect(session.reader.isEnded).toBe(true);
});

test("a loop waits for new events if a stream with untilIdle ends while its task works", async () => {
  const session = openSession();
  session.add("one", "a");

  const seen = session.read();
  await new Promise(setImmediate);
  session.add("one", "b", "completed");

  expect(await seen).toEqual(["a", "b", "completed"]);
  expect(session.follows).toEqual([
    { after: "0", untilIdle: true },
    { after: "1", untilIdle: true },
    { after: "1", untilIdle: false },
    { after: "2", untilIdle: true },
  ]);
});

test("a loop waits for the turn of an accepted prompt, although its task is idle", async () => {
  const session = openSession({ start: { state: "input-required" } });
  session.reader.sent({ ...sentView("one", "n"), state: "input-required" }, session.reader.view);
  session.add("one", "input-required");

  const seen = session.read();
  await new Promise(setImmediate);
  session.add("one", ">n", "b", "input-required");

  expect(await seen).toEqual(["input-required", ">n", "b", "input-required"]);
});

test("a loop does not wait for a prompt that was withdrawn from the queue", async () => {
  const session = openSession({ start: { state: "input-required" } });
  session.reader.sent({ ...sentView("one", "n"), state: "input-required" }, session.reader.view);
  session.add("one", "input-required");
  for (const [index, ids] of [["n"], []].entries()) {
    const prompts = ids.map((messageId) => ({ messageId, text: "", origin }));
    const header = { cursor: String(index + 2), state: "input-required" } as const;
    session.addEvent(buildEvent({ kind: "QUEUE", prompts }, header));
  }

  expect(await session.read()).toHaveLength(3);
});

test("an event without a cursor does not change the position of a loop", async () => {
  const session = openSession();
  session.add("one", "a");
  session.addEvent(buildEvent({ kind: "TEXT_CONTENT", text: "b" }));
  session.add("one", "c", "completed");

  expect(await session.read()).toEqual(["a", "b", "c", "completed"]);
  expect(session.reader.view).toMatchObject({ cursor: "4", items: [{ event: { text: "abc" } }] });
});

test("a cursor that the agent has lost is replaced by a snapshot", async () => {
  const session = openSession();
  session.add("one", "a", "b", "completed");
  session.refuse(new ProtocolError("cursor-not-found", "lost"));

  expect(await session.read()).toEqual(["ab", "completed"]);
  expect(session.reader.view.cursor).toBe("3");
});

test("a loop continues after the snapshot that replaced its cursor", async () => {
  const session = openSession();
  session.add("one", "a", "b");
  session.refuse(new ProtocolError("cursor-not-found", "lost"));

  const seen = session.read({ staysOn: true }, 2);
  await new Promise(setImmediate);
  session.add("one", "c");

  expect(await seen).toEqual(["ab", "c"]);
  expect(session.follows.map(({ after }) => after)).toEqual(["0", "2"]);
});

test("a slow loop that lost its cursor skips to the snapshot without changing the view", async () => {
  const session = openSession();
  session.add("one", "a", "b", "c", "completed");
  await session.read({}, 2);
  const { view } = session.reader;
  session.cutAt(1, new ProtocolError("cursor-not-found", "lost"));

  expect(await session.read({ after: "0" })).toEqual(["a"]);

  expect(session.reader.view).toBe(view);
  expect(session.follows.map(({ after }) => after)).toEqual(["0", "0", "4"]);
});

test("a loop that is left while it requests a snapshot aborts the request", async () => {
  const leaving = new AbortController();
  const session = openSession({ onGet: () => leaving.abort(new Error("left")) });
  session.refuse(new ProtocolError("cursor-not-found", "lost"));

  await expect(session.read({ signal: leaving.signal })).rejects.toThrow("left");

  expect(session.gets).toEqual([]);
});

test.each([
  ["an unknown cursor of the caller", { after: "0" }, "cursor-not-found"],
  ["a refusal for another reason", {}, "task-not-found"],
] as const)("a loop rejects with the error for %s", async (_, options, code) => {
  const session = openSession();
  session.add("one", "a");
  session.refuse(new ProtocolError(code, "no"));

  await expect(session.read(options)).rejects.toMatchObject({ code });
});

test("a loop does not end while a prompt is being sent", async () => {
  let sent = () => {};
  const whenSent = new Promise<void>((resolve) => {
    sent = resolve;
  });
  const session = openSession({ whenSent });
  session.add("one", "a", "completed");

  const seen = session.read();
  await new Promise(setImmediate);
  session.reader.sent(sentView("two", "n"), session.reader.view);
  session.add("two", ">n", "completed");
  sent();

  expect(await seen).toEqual(["a", "completed", ">n", "completed"]);
  expect(session.gets).toEqual([]);
});

test("a loop reads the events of a prompt while another prompt is being sent", async () => {
  const session = openSession({ whenSent: new Promise(() => {}) });
  session.add("one", "a", "completed");
  const seen: string[] = [];

  for await (const event of session.reader.read()) {
    seen.push(wordOf(event));
    if (seen.length === 4) break;
    if (event.state !== "completed") continue;
    session.reader.sent(sentView("two", "n"), session.reader.view);
    session.add("two", ">n", "b");
  }

  expect(seen).toEqual(["a", "completed", ">n", "b"]);
});

test("a loop that is left while a prompt is being sent ends quietly", async () => {
  const session = openSession({ whenSent: new Promise(() => {}) });
  session.add("one", "a", "completed");
  const leaving = new AbortController();
  const seen = session.read({ signal: leaving.signal });
  await new Promise(setImmediate);

  leaving.abort();

  expect(await seen).toEqual(["a", "completed"]);
});

test("a prompt to the task of the view changes its state at once, unless an event came first", () => {
  const session = openSession({ start: { state: "input-required" } });
  const { view } = session.reader;

  session.reader.sent({ ...sentView("one", "n"), state: "working" }, { ...view });
  expect(session.reader.view.state).toBe("input-required");
  session.reader.sent({ ...sentView("one", "n"), state: "working" }, view);

  expect(session.reader.view).toEqual({ ...view, state: "working" });
});

test("a prompt that is queued behind a running task does not change the view", () => {
  const session = openSession();

  session.reader.sent(sentView("two", "n"), session.reader.view);

  expect(session.reader.view.taskId).toBe("one");
  expect(session.reader.taskId).toBe("two");
  expect(session.reader.isEnded).toBe(false);
});

test("listeners are notified once per change, and a loop ends when the client closes", async () => {
  const session = openSession();
  let changes = 0;
  session.reader.onChange(() => {
    changes += 1;
  });
  session.add("one", "a", "b");
  const seen = session.read({ staysOn: true });
  await new Promise(setImmediate);

  session.closing.abort();

  expect(await seen).toEqual(["a", "b"]);
  expect(changes).toBe(2);
});

test.each([
  ["was joined while it worked", { isJoined: true }],
  ["is idle and was started here", { start: { state: "input-required" as const } }],
])("a loop on a task that %s ends when the session is idle", async (_, about) => {
  const session = openSession(about);
  session.add("one", "working", "a", "input-required");

  expect(await session.read()).toEqual(["working", "a", "input-required"]);

  expect(session.follows.every(({ untilIdle }) => untilIdle)).toBe(true);
});
