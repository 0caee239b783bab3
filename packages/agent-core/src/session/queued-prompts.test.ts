import type { Caller, SessionEvent, StampedEvent, TaskState } from "@dt/schema";
import { expect, test } from "vitest";
import { type MemoryLedger, openMemoryLedger } from "../ledger/memory-ledger.js";
import { createOfflineModel } from "../model/offline/create-offline-model.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { fileTools } from "../tools/builtin/builtin-tools.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };

/** A session with the offline model. `reopen` opens the session again on the same ledger. */
async function openStage() {
  const workspace = await openTempWorkspace();
  const memory = openMemoryLedger();
  const log: StampedEvent[] = [];
  const ledger: MemoryLedger = {
    ...memory,
    append(entry) {
      log.push(...entry.events);
      return memory.append(entry);
    },
  };
  const open = () =>
    openDrivenSession({
      model: createOfflineModel(),
      tools: fileTools,
      workspace,
      ledger,
      journal: [...ledger.journal],
    });
  let session = await open();
  return {
    ledger,
    get session() {
      return session;
    },
    async reopen() {
      await session.close();
      session = await open();
    },
    prompt: (text: string, taskId = "a") =>
      session.prompt({ messageId: text, taskId, parts: [{ type: "text", text }] }, alice),
    /** Waits until the log has a matching event, and returns the first one. */
    async until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
      for await (const event of ledger.read()) if (fits(event)) return event;
      throw new Error("the ledger ended");
    },
    /** Returns a short text for each event of a task. */
    log: (taskId = "a") =>
      log.filter((event) => event.taskId === taskId).map((event) => brief(event)),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const isState = (state: string, taskId: string) => (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.state === state && event.taskId === taskId;

function brief(event: StampedEvent): string {
  const what = event.kind === "TEXT_CONTENT" ? event.text : event.kind;
  const error = event.error === undefined ? "" : ` (${event.error})`;
  return `${event.turn} ${what} ${event.state}${error}`;
}

test("a task with a waiting prompt pauses at the end of a turn and then continues [SRV-07]", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 50 then say first");
  await stage.prompt("say second");
  await stage.until(isState("completed", "a"));

  expect(stage.log()).toEqual([
    "1 USER_PROMPT submitted",
    "1 STATE_CHANGE working",
    "1 TITLE working",
    "2 QUEUE working",
    "1 first working",
    "1 STATE_CHANGE input-required",
    "2 STATE_CHANGE working",
    "2 QUEUE working",
    "2 USER_PROMPT working",
    "2 STATE_CHANGE working",
    "2 second working",
    "2 STATE_CHANGE completed",
  ]);
});

test("a failed turn reports its error, and its task continues with the next prompt", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 50 then fail on purpose");
  await stage.prompt("say second");
  await stage.until(isState("completed", "a"));

  const states = stage.log().filter((line) => line.includes("STATE_CHANGE"));
  expect(states).toEqual([
    "1 STATE_CHANGE working",
    expect.stringMatching(/^1 STATE_CHANGE input-required \(.*on purpose.*\)$/),
    "2 STATE_CHANGE working",
    "2 STATE_CHANGE working",
    "2 STATE_CHANGE completed",
  ]);
});

test("a task stays working while its next prompt waits, even after a restart", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 50 then say first");
  await stage.prompt("wait 60000", "b");
  await stage.prompt("say second");
  await stage.until(isState("working", "b"));
  const between = stage.ledger.events.findLast(({ taskId }) => taskId === "a")?.state;

  await stage.reopen();
  await stage.until(isState("completed", "a"));

  expect(between).toBe("working");
  expect(stage.log("b").at(-1)).toContain("failed");
});

test("a task between turns ends if its last prompt is withdrawn or if the task is cancelled", async () => {
  await using stage = await openStage();
  for (const taskId of ["a", "c"]) await stage.prompt(`wait 10 then say ${taskId}`, taskId);
  await stage.prompt("wait 60000", "b");
  await stage.prompt("say more of a");
  await stage.prompt("say more of c", "c");
  await stage.prompt("say even more of c", "c");
  await stage.until(isState("working", "b"));

  await stage.session.withdraw("say more of a");
  await stage.session.withdraw("say more of c");
  const afterWithdrawal = stage.log("c").at(-1);
  const isCancelled = await stage.session.cancel("c");

  expect(stage.log().slice(-2)).toEqual(["4 QUEUE working", "4 STATE_CHANGE completed"]);
  expect(afterWithdrawal).toBe("5 QUEUE working");
  expect(isCancelled).toBe(true);
  expect(stage.log("c").slice(-2)).toEqual(["6 QUEUE working", "6 STATE_CHANGE canceled"]);
});

test("a task that never worked ends when its last prompt is withdrawn", async () => {
  await using stage = await openStage();
  await stage.prompt("wait 60000", "b");
  await stage.prompt("say one");
  await stage.prompt("say two");

  await stage.session.withdraw("say one");
  await stage.session.withdraw("say two");

  expect(stage.log()).toEqual([
    "2 QUEUE submitted",
    "3 QUEUE submitted",
    "2 QUEUE submitted",
    "3 QUEUE submitted",
    "3 STATE_CHANGE working",
    "3 STATE_CHANGE canceled",
  ]);
});

test("a prompt to a task with an open question leaves the question open [RFC-14]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hi");
  await stage.until(isState("input-required", "a"));

  await stage.prompt("say after");
  await stage.prompt("say never");
  await stage.session.withdraw("say never");
  await stage.reopen();

  expect(stage.log().slice(-4)).toEqual([
    "1 STATE_CHANGE input-required",
    "2 QUEUE input-required",
    "3 QUEUE input-required",
    "3 QUEUE input-required",
  ]);
});

test("a prompt is refused if its task has ended since the sender last saw the task", async () => {
  await using stage = await openStage();
  const parts = [{ type: "text" as const, text: "say more" }];
  const more = (taskState: TaskState) =>
    stage.session.prompt({ messageId: taskState, taskId: "a", parts, taskState }, alice);
  await stage.prompt("say hello");
  await stage.until(isState("completed", "a"));

  await expect(more("working")).rejects.toMatchObject({ code: "unsupported-operation" });
  await expect(more("completed")).resolves.toMatchObject({ taskId: "a", turn: 2 });
});

test("a cancel ends the turn and the task's waiting prompts in one commit", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hi");
  await stage.until(isState("input-required", "a"));
  await stage.prompt("say second");
  await stage.prompt("say third");
  const before = stage.ledger.journal.length;

  expect(await stage.session.cancel("a")).toBe(true);

  expect(stage.log().slice(-4)).toEqual([
    "1 TOOL_CALL_UPDATE working",
    "2 QUEUE working",
    "3 QUEUE working",
    "1 STATE_CHANGE canceled",
  ]);
  expect(stage.ledger.journal.slice(before).map(({ type }) => type)).toEqual([
    "call-changed",
    "withdrawn",
    "withdrawn",
    "turn-ended",
  ]);
  expect(stage.session.snapshot().queue).toEqual([]);
});
