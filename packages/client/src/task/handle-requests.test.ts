import { emptyTaskView, ProtocolError, type TaskView } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { SessionChannel } from "./channel/agent-channel.js";
import { createTaskHandle } from "./create-task-handle.js";

const start: TaskView = { ...emptyTaskView("t", "c"), state: "working", cursor: "1" };

/** Opens a handle on a channel that records its calls, and returns what a test says. */
function openHandle(view: TaskView = start, channel: Partial<SessionChannel> = {}) {
  const asked: unknown[][] = [];
  const note =
    (name: string, result?: unknown) =>
    async (...args: unknown[]) => {
      asked.push([name, ...args]);
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
  return { handle, asked };
}

test("presence is requested without history", async () => {
  const { handle, asked } = openHandle();
  const { signal } = new AbortController();

  expect(await handle.presence({ signal })).toEqual({ mode: "yolo", clients: 2 });
  await handle.presence();

  expect(asked).toEqual([
    ["get", "t", signal, 0],
    ["get", "t", undefined, 0],
  ]);
});

test("an answer goes to the task whose question the view shows, with its session", async () => {
  const question = buildQuestion();
  const { handle, asked } = openHandle({ ...start, openCalls: [question] });
  const { signal } = new AbortController();

  expect(await handle.answer(question, "cancel", { signal })).toEqual({ accepted: true });

  const confirmations = [
    { toolCallId: "call-1", selectedOptionId: "cancel", modifiedDetails: undefined },
  ];
  expect(asked).toEqual([
    ["send", { type: "confirmation", confirmations }, { contextId: "c", taskId: "t" }, signal],
  ]);
});

test("an answer that lost returns the winner, and any other refusal throws", async () => {
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

test("a command that was just started has no session to name yet", async () => {
  const { handle, asked } = openHandle({ ...start, contextId: "" });

  await handle.prompt("go on");

  expect(asked).toEqual([
    [
      "send",
      { type: "prompt", parts: [{ type: "text", text: "go on" }] },
      { taskId: "t" },
      undefined,
    ],
  ]);
});

test("cancel ends the running task, or the last one by its own id", async () => {
  const { handle, asked } = openHandle();
  const ended = openHandle({ ...start, state: "completed" });
  const { signal } = new AbortController();

  await handle.cancel({ signal });
  await ended.handle.cancel();

  expect([...asked, ...ended.asked]).toEqual([
    ["cancel", "t", signal],
    ["cancel", "t", undefined],
  ]);
});

test("a prompt after the end goes to the session, or to the task if the agent continues it", async () => {
  const ended: TaskView = { ...start, state: "completed" };
  const anew = openHandle(ended);
  const on = openHandle(ended, { continuesEndedTasks: true });

  await anew.handle.prompt("more");
  await on.handle.prompt("more");

  const targets = [...anew.asked, ...on.asked].map(([, , target]) => target);
  expect(targets).toEqual([{ contextId: "c" }, { contextId: "c", taskId: "t" }]);
});

test("a refused prompt to a task that ended unseen is sent to its session", async () => {
  const targets: unknown[] = [];
  const refusal = new ProtocolError("unsupported-operation", "it has ended");
  const next: TaskView = { ...start, taskId: "next" };
  const sendOnce: SessionChannel["send"] = async (_content, target) => {
    targets.push(target);
    if (targets.length === 1) throw refusal;
    return next;
  };
  const { handle } = openHandle(start, { send: sendOnce });
  const strict = openHandle(start, {
    continuesEndedTasks: true,
    send: () => Promise.reject(refusal),
  });
  const other = openHandle(start, { send: () => Promise.reject(new Error("cut")) });

  await handle.prompt("more");

  expect(targets).toEqual([{ contextId: "c", taskId: "t" }, { contextId: "c" }]);
  expect(handle.taskId).toBe("next");
  await expect(strict.handle.prompt("more")).rejects.toBe(refusal);
  await expect(other.handle.prompt("more")).rejects.toThrow("cut");
});

test("a misspelt option of events is refused by its name", () => {
  const { handle } = openHandle();

  expect(() => handle.events({ since: "1" } as never)).toThrow(
    "unknown option since; use after or signal",
  );
});
