import type { SessionReply } from "@dt/schema";
import { expect, test } from "vitest";
import { callTool, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import {
  ALICE,
  ask,
  BOB,
  brief,
  openAskingSession,
  PARTS,
  settle,
} from "./asking-session.test-support.js";

const busy = (count: number) => ({
  code: "agent-busy",
  message: `${count} prompts are waiting already; wait for a turn to end`,
});

test.each([1, 2])(
  "a session accepts at most %i waiting prompts, including steering",
  async (maxQueue) => {
    await using stage = await openAskingSession({ maxQueue });
    await stage.prompt("m0");
    await stage.until("input-required");
    for (let count = 0; count < maxQueue; count += 1)
      await stage.prompt(`m${count + 1}`, "t", ALICE, count === 0);

    await expect(stage.prompt("late", "u", BOB)).rejects.toMatchObject(busy(maxQueue));
    await expect(stage.prompt("late", "t", ALICE, true)).rejects.toMatchObject(busy(maxQueue));

    expect(await stage.session.withdraw("m1")).toBe(true);
    expect(await stage.prompt("late", "u", BOB)).toMatchObject({ taskId: "u" });
  },
);

test("the default limit is a hundred waiting prompts", async () => {
  await using stage = await openAskingSession();
  for (let count = 0; count <= 100; count += 1) await stage.prompt(`m${count}`);

  await expect(stage.prompt("late")).rejects.toMatchObject(busy(100));
});

test("a steering prompt joins the sender's own running turn, or else gets its own turn", async () => {
  await using stage = await openAskingSession();

  expect(await stage.prompt("m1", "t", ALICE, true)).toMatchObject({ taskId: "t", turn: 1 });
  await stage.until("input-required");
  expect(await stage.prompt("m2", "other", ALICE, true)).toMatchObject({ taskId: "t", turn: 1 });
  expect(await stage.prompt("m3", "b", BOB, true)).toMatchObject({ taskId: "b", turn: 3 });
  expect(await stage.prompt("m4", "d", { ...ALICE, credential: "d" }, true)).toMatchObject({
    taskId: "d",
    turn: 4,
  });

  const { turn, queue } = stage.session.snapshot();
  expect(turn?.steering).toEqual([
    {
      messageId: "m2",
      taskId: "t",
      parts: PARTS,
      turn: 2,
      credential: "c",
      origin: { principal: "alice", name: "Alice" },
    },
  ]);
  expect(queue.map(({ messageId }) => messageId)).toEqual(["m3", "m4"]);
  expect(await stage.session.withdraw("m2")).toBe(true);
  expect(await stage.session.withdraw("m2")).toBe(false);
  expect(stage.ledger.journal.at(-1)).toEqual({ type: "steering-withdrawn", messageId: "m2" });
});

test("steering is refused if its task has ended since the sender last saw the task", async () => {
  await using stage = await openAskingSession({ model: scriptedModel([[], [callTool("ask")]]) });
  await stage.prompt("m1", "done");
  await stage.until("completed", "done");
  await stage.prompt("m2");
  await stage.until("input-required");
  const late = { messageId: "m3", taskId: "done", parts: PARTS, taskState: "working" } as const;

  for (const type of ["prompt", "steer"] as const)
    expect(await stage.request({ type, ...late })).toMatchObject({
      type: "refused",
      code: "unsupported-operation",
      message: "the task done has ended",
    });
  expect(await stage.request({ type: "steer", ...late, taskState: "completed" })).toMatchObject({
    type: "ticket",
    ticket: { taskId: "t", turn: 2 },
  });
});

test("a retry repeats the last failed turn only if no turn runs and no prompt waits", async () => {
  const fail = () => {
    throw new Error("broke");
  };
  await using stage = await openAskingSession({
    model: scriptedModel([fail, fail, [callTool("ask")]]),
  });
  expect(await stage.request({ type: "retry" })).toEqual({ type: "ticket" });
  await stage.prompt("m1");
  await stage.until("failed");

  expect(await stage.session.retry()).toMatchObject({ taskId: "t", turn: 2 });
  expect(await stage.session.retry()).toBeUndefined();
  await stage.prompt("m2", "u");
  await stage.until("input-required", "u");

  expect(stage.log()).toEqual([
    ...["t USER_PROMPT", "t working", "t TITLE", "t failed", "t working"],
    ...["u [m2]", "t failed", "u []", "u USER_PROMPT", "u working", "u TITLE"],
    ...["ask PENDING", "u input-required"],
  ]);
});

test("two simultaneous cancels end a turn and its waiting prompts once", async () => {
  await using stage = await openAskingSession();
  await stage.prompt("m1");
  await stage.until("input-required");
  await stage.prompt("m2");
  stage.ledger.hold(({ events }) => events.some(({ state }) => state === "canceled"));

  const first = stage.session.cancel("t");
  const third = stage.prompt("m3", "u");
  const second = stage.session.cancel("t");
  stage.ledger.release();

  expect(await Promise.all([first, second])).toEqual([true, true]);
  await third;
  expect(await stage.session.cancel("t")).toBe(false);
  await stage.until("completed", "u");
  const log = stage.log();
  expect(log.filter((word) => word === "t canceled")).toEqual(["t canceled"]);
  expect(stage.session.snapshot().tasks).toEqual({ t: "canceled", u: "completed" });
});

test("the next turn can be cancelled while the turn before it commits its end", async () => {
  await using stage = await openAskingSession({ model: scriptedModel([]) });
  stage.ledger.hold(({ events }) => events.some(({ state }) => state === "completed"));
  await stage.prompt("m1");
  await stage.ledger.nextHeld();
  const prompted = stage.prompt("m2", "u");
  await settle();
  const cancelled = stage.session.cancel("u");
  stage.ledger.release();

  expect(await cancelled).toBe(true);
  await prompted;
  expect(stage.session.snapshot().tasks).toEqual({ t: "completed", u: "canceled" });
});

test("a cancel resolves when the end of the turn is durable [LOG-03]", async () => {
  await using stage = await openAskingSession();
  await stage.prompt("m1");
  await stage.until("input-required");
  stage.ledger.hold();
  const queued = stage.prompt("m2", "u", BOB);
  let isResolved = false;
  const cancelled = stage.session.cancel("t").then(() => {
    isResolved = true;
  });
  await settle();
  stage.ledger.releaseOne();
  await queued;
  await settle();

  expect([stage.session.snapshot().tasks.t, isResolved]).toEqual(["canceled", false]);
  stage.ledger.release();
  await cancelled;
});

test("a prompt that arrives while the last turn is ending always runs", async () => {
  for (let delay = 0; delay < 16; delay += 1) {
    await using stage = await openAskingSession({ model: scriptedModel([]) });
    const prompted = new Promise<void>((resolve) => {
      const stop = stage.ledger.subscribe(async ({ state }) => {
        if (state !== "completed") return;
        stop();
        for (let count = 0; count < delay; count += 1) await undefined;
        resolve(stage.prompt("m2", "u").then(() => {}));
      });
    });
    await stage.prompt("m1");
    await prompted;
    await settle();

    expect([delay, stage.log().at(-1)]).toEqual([delay, "u completed"]);
  }
});

test("a thrown value that is not an Error becomes the error of the failed turn", async () => {
  const model = scriptedModel([
    async function* () {
      yield await Promise.reject("no error");
    },
  ]);
  await using stage = await openAskingSession({ model });

  await stage.prompt("m1");

  expect(await stage.until("failed")).toMatchObject({ error: "no error" });
});

test("a cancel that a closing session cannot complete is refused", async () => {
  await using stage = await openAskingSession();
  await stage.prompt("m1");
  await stage.until("input-required");
  const cancelled = stage.request({ type: "cancel", taskId: "t" });
  await stage.session.close();

  for (const reply of [cancelled, stage.request({ type: "cancel", taskId: "t" })])
    expect(await reply).toMatchObject({
      type: "refused",
      code: "agent-busy",
      message: "the session is closing",
    });
});

test("finish ends all running and waiting work, unless a question is open", async () => {
  const hang = scriptedTool({
    name: "look",
    actions: () => [],
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal);
        signal.addEventListener("abort", () => reject(signal));
      }),
  });
  await using stage = await openAskingSession({
    tools: [ask, hang],
    openTaskId: "open",
    model: scriptedModel([[callTool("ask")], [callTool("look")]]),
  });
  await stage.prompt("m1");
  await stage.until("input-required");
  await stage.prompt("m2");
  await stage.prompt("m3", "u");
  expect(await stage.session.finish()).toBe(false);
  await stage.answer("call-1", "cancel");
  for await (const event of stage.ledger.read()) if (brief(event) === "look EXECUTING") break;

  expect(await stage.session.finish()).toBe(true);

  await expect(stage.prompt("m4")).rejects.toMatchObject({ code: "agent-busy" });
  expect(stage.session.snapshot()).toMatchObject({
    queue: [],
    tasks: { open: "completed", t: "canceled", u: "canceled" },
  });
  expect(stage.log().at(-1)).toBe("open completed");
});

test("get-modes returns the modes of the caller, of the session and of other callers", async () => {
  const run = async () => ({ type: "done", effect: { type: "set-mode", mode: "plan" } }) as const;
  await using stage = await openAskingSession({
    mode: "auto-edit",
    commands: () => [{ name: "plan", description: "plans", run }],
  });
  const command = { messageId: "m", taskId: "p", path: ["plan"], args: "" };
  await stage.session.runCommand(command, ALICE);
  await stage.until("completed", "p");

  const ofAlice = { name: "Alice", mode: "plan" };
  const reply = { type: "modes", startMode: "auto-edit" };
  expect(await stage.request({ type: "get-modes" })).toEqual({
    ...reply,
    mode: "plan",
    others: [],
  });
  expect(await stage.request({ type: "get-modes" }, BOB)).toEqual({
    ...reply,
    mode: "auto-edit",
    others: [ofAlice],
  });
});

test("get-metadata returns the model and the tools of the session [SRV-08]", async () => {
  await using stage = await openAskingSession();

  const reply = await stage.request({ type: "get-metadata" });

  expect(reply).toMatchObject({
    type: "metadata",
    metadata: { model: "scripted", mcpServers: [] },
  });
  const { availableTools } = (reply as Extract<SessionReply, { type: "metadata" }>).metadata;
  expect(availableTools.map(({ name }) => name)).toContain("ask");
  expect(availableTools.every((tool) => "parameterSchema" in tool)).toBe(true);
});
