import { type Caller, canMoveTask, type SessionEvent, type TaskState } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { createOfflineModel } from "../model/offline/create-offline-model.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { fileTools } from "../tools/builtin/builtin-tools.js";

const terminal: Caller = { user: "terminal", name: "terminal", role: "approve" };

/** A session with an open task. `reopen` opens the session again on the same ledger. */
async function openStage() {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const open = () =>
    openDrivenSession({
      model: createOfflineModel(),
      tools: fileTools,
      workspace,
      ledger,
      journal: ledger.journal,
      openTaskId: "live",
    });
  let session = await open();
  let read: SessionEvent[] = [];
  return {
    get session() {
      return session;
    },
    async reopen() {
      await session.close();
      session = await open();
    },
    prompt: (text: string, taskId = "live") =>
      session.prompt({ messageId: text, taskId, parts: [{ type: "text", text }] }, terminal),
    /** Reads the log up to the n-th matching event. */
    async until(fits: (event: SessionEvent) => boolean, count = 1): Promise<SessionEvent> {
      read = [];
      let left = count;
      for await (const event of ledger.read()) {
        read.push(event);
        if (fits(event)) left -= 1;
        if (left === 0) return event;
      }
      throw new Error("the ledger ended");
    },
    states: (taskId = "live") => statesOf(read.filter((event) => event.taskId === taskId)),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const waitsForInput = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.state === "input-required";

function statesOf(events: readonly SessionEvent[]): readonly TaskState[] {
  return events
    .map(({ state }) => state)
    .filter((state, index, all) => index === 0 || state !== all[index - 1]);
}

const isLegal = (states: readonly TaskState[]) =>
  states.every((state, index) => {
    const before = states[index - 1];
    return before === undefined || canMoveTask(before, state);
  });

test("an open task waits for input between its turns, no matter how the turns end [CLI-10, SRV-07]", async () => {
  await using stage = await openStage();
  await stage.prompt("say one");
  await stage.until(waitsForInput, 2);
  await stage.prompt("fail on purpose");
  const failed = await stage.until(waitsForInput, 3);
  await stage.prompt("wait 60000");
  await stage.until((event) => event.kind === "USER_PROMPT", 3);
  await stage.session.cancel("live");
  const cancelled = await stage.until(waitsForInput, 4);
  await stage.prompt("say two");
  const answered = await stage.until(waitsForInput, 5);

  expect(failed.error).toContain("on purpose");
  expect(cancelled.error).toBe("the turn was cancelled");
  expect(answered.error).toBeUndefined();
  expect(stage.states()).toEqual([
    "submitted",
    ...["one", "fail", "cancel", "two"].flatMap(() => ["working", "input-required"]),
    "working",
    "input-required",
  ]);
  expect(isLegal(stage.states())).toBe(true);
});

test("cancelling an open task ends only its running turn; waiting prompts still run", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 60000");
  await stage.until((event) => event.kind === "USER_PROMPT");
  await stage.prompt("say second");
  await stage.prompt("say third");

  expect(await stage.session.cancel("live")).toBe(true);
  const said = (text: string) => (event: SessionEvent) =>
    event.kind === "TEXT_CONTENT" && event.text === text;
  await stage.until(said("second"));
  await stage.until(said("third"));
  await stage.until(waitsForInput, 4);

  expect(await stage.session.cancel("live")).toBe(false);
});

test("other tasks of a session with an open task end as usual", async () => {
  await using stage = await openStage();
  await stage.prompt("say one", "other");
  await stage.until((event) => event.state === "completed");

  expect(stage.states("other")).toEqual(["submitted", "working", "completed"]);
  expect(stage.states()).toEqual(["submitted", "working", "input-required"]);
});

test("a failed turn of an open task can be retried", async () => {
  await using stage = await openStage();
  await stage.prompt("fail once");
  await stage.until(waitsForInput, 2);

  const ticket = await stage.session.retry();
  const again = await stage.until(waitsForInput, 3);

  expect(ticket?.taskId).toBe("live");
  expect(again.error).toContain("once");
});

test("finish completes an open task, and a reopened session continues the task [SRV-07]", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 60000");
  await stage.until((event) => event.kind === "USER_PROMPT");
  await stage.prompt("say never");

  expect(await stage.session.finish()).toBe(true);
  await expect(stage.prompt("say late")).rejects.toThrow("closing");
  await stage.reopen();
  await stage.prompt("say again");
  const again = (event: SessionEvent) => event.kind === "TEXT_CONTENT" && event.text === "again";
  await stage.until(again);
  await stage.until(waitsForInput, 4);

  expect(stage.states()).toEqual([
    ...["submitted", "working", "input-required"],
    ...["working", "input-required", "completed"],
    ...["working", "input-required", "working", "input-required"],
  ]);
  expect(isLegal(stage.states())).toBe(true);
});

test("an open question survives a restart of its session [LOG-03]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hi");
  const asked = await stage.until((event) => waitsForInput(event) && "waiting" in event);

  expect(await stage.session.finish()).toBe(false);
  await stage.reopen();
  const toolCallId = (asked.kind === "STATE_CHANGE" && asked.waiting?.[0]?.toolCallId) || "";
  const verdict = await stage.session.answer(
    { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
    terminal,
  );
  const done = await stage.until((event) => waitsForInput(event) && !("waiting" in event), 2);

  expect(verdict).toMatchObject({ accepted: true, ticket: { taskId: "live" } });
  expect(done.error).toBeUndefined();
});

test("an open task waits for input after a restart, and its error contains the reason", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 60000");
  await stage.until((event) => event.kind === "USER_PROMPT");

  await stage.reopen();

  expect((await stage.until(waitsForInput, 2)).error).toBe("interrupted by a restart");
});
