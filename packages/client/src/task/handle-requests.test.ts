import { emptyTaskView, ProtocolError, type TaskView } from "@dt/schema";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { SessionChannel, TaskChannel } from "./channel/agent-channel.js";
import { createTaskHandle } from "./create-task-handle.js";
import type { ConversationReader } from "./session/conversation-reader.js";

const start: TaskView = { ...emptyTaskView("t", "c"), state: "working", cursor: "1" };

/** Opens a handle on a channel that records its calls and returns fixed results. */
function openHandle(view: TaskView = start, channel: Partial<SessionChannel> = {}) {
  const calls: unknown[][] = [];
  const note =
    (name: string, result?: unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return result as never;
    };
  const handle = createTaskHandle(
    {
      channel: {
        continuesEndedTasks: false,
        send: note("send", view),
        get: note("get", { ...view, presence: { mode: "yolo", clients: 2 } }),
        cancel: note("cancel"),
        async *followSession() {},
        ...channel,
      },
      closing: new AbortController().signal,
      pushOf: (taskId) => ({ taskId }) as never,
    },
    view,
  );
  return { handle, calls };
}

test("presence() requests the task without its history", async () => {
  const { handle, calls } = openHandle();
  const { signal } = new AbortController();

  expect(await handle.presence({ signal })).toEqual({ mode: "yolo", clients: 2 });
  await handle.presence();

  expect(calls).toEqual([
    ["get", "t", signal, 0],
    ["get", "t", undefined, 0],
  ]);
});

test("an answer is sent to the session and the task of the question in the view", async () => {
  const question = buildQuestion();
  const { handle, calls } = openHandle({ ...start, openCalls: [question] });
  const { signal } = new AbortController();

  expect(await handle.answer(question, "cancel", { signal })).toEqual({ accepted: true });

  const confirmations = [
    { toolCallId: "call-1", selectedOptionId: "cancel", modifiedDetails: undefined },
  ];
  expect(calls).toEqual([
    ["send", { type: "confirmation", confirmations }, { contextId: "c", taskId: "t" }, signal],
  ]);
});

test("a late answer returns the winner, and any other refusal throws", async () => {
  const answeredBy = { principal: "ada", name: "Ada" };
  const data = { answeredBy, selectedOptionId: "cancel", toolCallId: "call-1" };
  const lost = new ProtocolError("confirmation-closed", "late", { data });
  const unknown = new ProtocolError("confirmation-not-found", "no");
  const losing = openHandle(start, { send: () => Promise.reject(lost) }).handle;
  const failing = openHandle(start, { send: () => Promise.reject(unknown) }).handle;
  const question = buildQuestion();

  expect(await losing.answer(question, "cancel")).toStrictEqual({
    accepted: false,
    answeredBy,
    selectedOptionId: "cancel",
  });
  expect(await losing.answerAll([{ toolCall: question, answer: "cancel" }])).toStrictEqual({
    accepted: false,
    answeredBy,
    selectedOptionId: "cancel",
    toolCallId: "call-1",
  });
  await expect(failing.answer(question, "cancel")).rejects.toBe(unknown);
});

test("a prompt to the task of a command is sent with the task's id alone if the session is unknown", async () => {
  const { handle, calls } = openHandle({ ...start, contextId: "" });

  await handle.prompt("go on");

  expect(calls).toEqual([
    [
      "send",
      { type: "prompt", parts: [{ type: "text", text: "go on" }] },
      { taskId: "t" },
      undefined,
    ],
  ]);
});

test("cancel() asks the agent to cancel the only task, even an ended one, and passes the signal", async () => {
  const { handle, calls } = openHandle();
  const ended = openHandle({ ...start, state: "completed" });
  const { signal } = new AbortController();

  await handle.cancel({ signal });
  await ended.handle.cancel();

  expect([...calls, ...ended.calls]).toEqual([
    ["cancel", "t", signal],
    ["cancel", "t", undefined],
  ]);
});

/** Opens a handle whose view shows the task `t`, and whose last task is `next`. */
function openQueuedHandle(view: TaskView) {
  const calls: unknown[][] = [];
  const reader: ConversationReader = {
    view,
    taskId: "next",
    isEnded: false,
    onChange: () => () => {},
    async *read() {},
    sent() {},
  };
  const channel: TaskChannel = {
    continuesEndedTasks: false,
    createReader: () => reader,
    async *follow() {},
    send: async (_content, target) => {
      calls.push(["send", target]);
      return view;
    },
    get: async () => view,
    cancel: async (taskId) => void calls.push(["cancel", taskId]),
  };
  const closing = new AbortController().signal;
  const handle = createTaskHandle({ channel, closing, pushOf: () => ({}) as never }, view);
  return { handle, calls };
}

test("cancel() cancels the task of the view if that task runs, else the last task", async () => {
  const running = openQueuedHandle(start);
  const ended = openQueuedHandle({ ...start, state: "completed" });

  await running.handle.cancel();
  await ended.handle.cancel();

  expect([...running.calls, ...ended.calls]).toEqual([
    ["cancel", "t"],
    ["cancel", "next"],
  ]);
});

test("an answer to a question that the view does not show goes to the last task", async () => {
  const question = buildQuestion();
  const { handle, calls } = openQueuedHandle({ ...start, openCalls: [question] });

  await handle.answer(question, "cancel");
  await handle.answer({ toolCallId: "elsewhere" }, "cancel");

  expect(calls).toEqual([
    ["send", { contextId: "c", taskId: "t" }],
    ["send", { contextId: "c", taskId: "next" }],
  ]);
});

test("a prompt to an ended task goes to its session, or to the task if continuesEndedTasks is set", async () => {
  const ended: TaskView = { ...start, state: "completed" };
  const newTask = openHandle(ended);
  const sameTask = openHandle(ended, { continuesEndedTasks: true });

  await newTask.handle.prompt("more");
  await sameTask.handle.prompt("more");

  const targets = [...newTask.calls, ...sameTask.calls].map(([, , target]) => target);
  expect(targets).toEqual([{ contextId: "c" }, { contextId: "c", taskId: "t" }]);
});

test("a refused prompt to a task whose end was not seen is sent to its session", async () => {
  const targets: unknown[] = [];
  const refusal = new ProtocolError("unsupported-operation", "it has ended");
  const next: TaskView = { ...start, taskId: "next" };
  const signals: unknown[] = [];
  const sendOnce: SessionChannel["send"] = async (_content, target, signal) => {
    targets.push(target);
    signals.push(signal);
    if (targets.length === 1) throw refusal;
    return next;
  };
  const { handle } = openHandle(start, { send: sendOnce });
  const strict = openHandle(start, {
    continuesEndedTasks: true,
    send: () => Promise.reject(refusal),
  });
  const other = openHandle(start, { send: () => Promise.reject(new Error("cut")) });

  const { signal } = new AbortController();
  await handle.prompt("more", { signal });

  expect(targets).toEqual([{ contextId: "c", taskId: "t" }, { contextId: "c" }]);
  expect(signals).toEqual([signal, signal]);
  expect(handle.taskId).toBe("next");
  await expect(strict.handle.prompt("more")).rejects.toBe(refusal);
  await expect(other.handle.prompt("more")).rejects.toThrow("cut");
});

test("events() refuses a misspelt option, and the error names the option", () => {
  const { handle } = openHandle();

  expect(() => handle.events({ since: "1" } as never)).toThrow(
    "unknown option since; use after or signal",
  );
});

test("a prompt that the session of an ended task refuses is not sent again", async () => {
  const refusal = new ProtocolError("unsupported-operation", "no");
  let sends = 0;
  const { handle } = openHandle(
    { ...start, state: "completed" },
    {
      send: async () => {
        sends += 1;
        throw refusal;
      },
    },
  );

  await expect(handle.prompt("more")).rejects.toBe(refusal);
  expect(sends).toBe(1);
});

test("the loop of a task that this handle started ends when the task is idle", async () => {
  const { handle } = openHandle({ ...start, state: "input-required" });
  const seen: unknown[] = [];

  for await (const event of handle.events()) seen.push(event);

  expect(seen).toEqual([]);
});

/** Creates a `followSession` that yields one event and then waits until the loop is left. */
function followOnce() {
  const signals: AbortSignal[] = [];
  const followSession: SessionChannel["followSession"] = async function* (_, _after, { signal }) {
    signals.push(signal);
    const header = { taskId: "t", contextId: "c", cursor: "2" };
    yield buildEvent({ kind: "TEXT_CONTENT", text: "x" }, header);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  return { signals, followSession };
}

test("a session is no longer followed after its last subscriber has left", async () => {
  const { signals, followSession } = followOnce();
  const { handle } = openHandle(start, { followSession });
  const leave = await new Promise<() => void>((resolve) => {
    const stop = handle.subscribe(() => resolve(stop));
  });
  const isAborted = () => signals.map(({ aborted }) => aborted);
  const before = isAborted();

  leave();

  expect([before, isAborted()]).toEqual([[false], [true]]);
});

test("watch() passes the view after each event, until its signal aborts", async () => {
  const { followSession } = followOnce();
  const { handle } = openHandle(start, { followSession });
  const leaving = new AbortController();
  const seen: number[] = [];

  await handle.watch(
    ({ items }) => {
      seen.push(items.length);
      if (items.length === 1) leaving.abort();
    },
    { signal: leaving.signal },
  );

  expect(seen).toEqual([0, 1]);
});
