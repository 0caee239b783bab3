import type { SessionEvent, TaskHandle } from "@dt/client";
import { geminiScript, type StandInTurn } from "@dt/client/testing";
import { expect, test } from "vitest";
import { brief, type GeminiStageOptions, openGeminiStage } from "./support/open-gemini-stage.js";

const { call, runShell, say, writeFile } = geminiScript;
const WORKSPACE_PATH = "/workspace";
const SOMEBODY = { principal: "unknown", name: "" };
const write: StandInTurn = [call(writeFile("/w/a", "a")), say("done")];

/** Opens two clients of a task with a question. The first client starts the task, and the second joins it. */
async function openRace(options: GeminiStageOptions) {
  const stage = await openGeminiStage(options);
  let hold: Promise<unknown> = Promise.resolve();
  /** Delays the answers of the first client until the test releases them. */
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(init?.body).includes("outcome")) await hold;
    return await globalThis.fetch(input, init);
  };
  const first = await (await stage.connect({ fetch })).startTask({
    workspacePath: WORKSPACE_PATH,
    prompt: "go",
  });
  await untilAsked(first);
  const second = await (await stage.connect()).openTask(first.taskId);
  return {
    stage,
    first,
    second,
    holdFirst(until: Promise<unknown>) {
      hold = until;
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

async function untilAsked(task: TaskHandle): Promise<void> {
  for await (const event of task.events()) if (event.state === "input-required") return;
}

async function readAll(task: TaskHandle): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of task.events()) events.push(event);
  return events;
}

function question(task: TaskHandle): { readonly toolCallId: string } {
  const [open] = task.view().openCalls;
  if (open === undefined) throw new Error("nothing is asked");
  return open;
}

test("a late answer is refused, and the refusal names the option that the other client chose", async () => {
  await using race = await openRace({ turns: [write] });
  const { first, second } = race;
  const asked = question(first);
  await second.answer(asked, "proceed_once");
  await readAll(second);

  const result = await first.answer(asked, "cancel");
  const events = await readAll(first);

  expect(result).toEqual({
    accepted: false,
    answeredBy: SOMEBODY,
    selectedOptionId: "proceed_once",
  });
  expect(events.map(brief)).toEqual([
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "says done",
    "completed",
  ]);
  expect(events[0]).toMatchObject({
    answer: { selectedOptionId: "proceed_once", origin: SOMEBODY },
  });
});

test("an answer is refused while the approved tool runs, and the tool continues", async () => {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const turn = [call({ ...runShell("make"), until }), say("built")];
  await using race = await openRace({ turns: [turn] });
  const { stage, first, second } = race;
  const asked = question(second);
  await first.answer(asked, "proceed_once");

  const result = await second.answer(asked, "cancel");
  finish();
  const events = await readAll(second);

  expect(result).toMatchObject({ accepted: false, selectedOptionId: "proceed_once" });
  expect(events.map(brief)).toEqual([
    "run_shell_command EXECUTING",
    "run_shell_command SUCCEEDED",
    "says built",
    "completed",
  ]);
  expect(stage.standIn.requests.map(({ method }) => method)).not.toContain("tasks/cancel");
});

test.each(["proceed_once", "cancel"])(
  "one of two simultaneous answers, both %s, is refused as too late",
  async (option) => {
    await using race = await openRace({ turns: [write] });
    const { stage, first, second } = race;
    const asked = question(first);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    race.holdFirst(held);

    // The answer of the first client is delayed, so the answer of the second one arrives before it.
    const losing = first.answer(asked, option);
    const won = await second.answer(asked, option);
    release();
    const lost = await losing;

    expect(won).toEqual({ accepted: true });
    expect(lost).toEqual({ accepted: false, answeredBy: SOMEBODY, selectedOptionId: option });
    expect((await readAll(first)).at(-1)?.state).toBe("completed");
    expect(stage.standIn.ran).toHaveLength(option === "cancel" ? 0 : 1);
  },
);

test("a client whose answer came too late can answer the next question", async () => {
  await using race = await openRace({
    turns: [[call(writeFile("/w/a", "a")), call(writeFile("/w/b", "b")), say("done")]],
  });
  const { stage, first, second } = race;
  await second.answer(question(second), "proceed_once");
  await untilAsked(second);
  const lost = await first.answer(question(first), "proceed_once");
  await untilAsked(first);

  const won = await first.answer(question(first), "proceed_once");
  await readAll(first);

  expect(lost).toMatchObject({ accepted: false });
  expect(won).toEqual({ accepted: true });
  expect(stage.standIn.ran).toHaveLength(2);
});

test.each(["the client that started the task", "the client that joined the task"])(
  "%s sees the answer of the other client",
  async (observer) => {
    await using race = await openRace({ turns: [write] });
    const { first, second } = race;
    const hasJoined = observer === "the client that joined the task";
    const [watching, answering] = hasJoined ? [second, first] : [first, second];
    const reading = readAll(watching);

    await answering.answer(question(answering), "proceed_once");
    const events = await reading;

    expect(events.map(brief)).toEqual([
      "write_file EXECUTING",
      "write_file SUCCEEDED",
      "says done",
      "completed",
    ]);
    expect(events[0]).toMatchObject({
      answer: { selectedOptionId: "proceed_once", origin: SOMEBODY },
    });
  },
);

test("an approval after another client's cancel is refused, even if the history lacks the cancel", async () => {
  await using race = await openRace({ turns: [write], forgetsRefused: true });
  const { stage, first, second } = race;
  const asked = question(first);
  expect(await first.answer(asked, "cancel")).toEqual({ accepted: true });
  await readAll(first);

  const late = await second.answer(asked, "proceed_once");
  const events = await readAll(second);

  expect(late).toEqual({ accepted: false, answeredBy: SOMEBODY, selectedOptionId: "cancel" });
  expect(events.map(brief)).toEqual(["write_file CANCELLED", "completed"]);
  expect(stage.standIn.ran).toEqual([]);
});
