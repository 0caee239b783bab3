import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type Caller, type SessionEvent, toOrigin } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { createOfflineModel } from "../model/offline/create-offline-model.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { fileTools } from "../tools/builtin/builtin-tools.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const bob: Caller = { user: "bob", name: "Bob", role: "approve" };

async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const session = await openDrivenSession({
    model: createOfflineModel(),
    tools: fileTools,
    workspace,
    ledger,
    ...options,
  });
  let messages = 0;
  return {
    workspace,
    ledger,
    session,
    prompt(text: string, origin = alice, taskId = "task") {
      messages += 1;
      const messageId = `message-${messages}`;
      return session.prompt({ messageId, taskId, parts: [{ type: "text", text }] }, origin);
    },
    /** Waits until the log has a matching event, and returns the first one. */
    async until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
      for await (const event of ledger.read()) if (fits(event)) return event;
      throw new Error("the ledger ended");
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const isState = (state: string) => (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.state === state;

/** Describes an event in a few words. */
function brief(event: SessionEvent): string {
  switch (event.kind) {
    case "STATE_CHANGE":
      return event.state;
    case "TEXT_CONTENT":
      return `text ${event.text}`;
    case "TOOL_CALL_UPDATE":
      return `${event.toolCall.toolName} ${event.toolCall.status}${event.toolCall.confirmationRequest ? "?" : ""}`;
    default:
      return event.kind;
  }
}

test("a turn without tools emits its text and completes", async () => {
  await using stage = await openStage();

  await stage.prompt("say hello");
  await stage.until(isState("completed"));

  expect(stage.ledger.events.map(brief)).toEqual([
    "USER_PROMPT",
    "working",
    "TITLE",
    "text hello",
    "completed",
  ]);
});

test("a write asks first, runs when approved, and the turn continues [RFC-11, RFC-14, RFC-19]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello then say done");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  const verdict = await stage.session.answer(
    {
      toolCallId: question!.toolCallId,
      selectedOptionId: "proceed_once",
      modifiedDetails: undefined,
    },
    bob,
  );
  await stage.until(isState("completed"));

  expect(verdict).toMatchObject({ accepted: true, ticket: { taskId: "task" } });
  expect(await stage.workspace.read("a.txt")).toBe("hello");
  expect(stage.ledger.events.map(brief)).toEqual([
    "USER_PROMPT",
    "working",
    "TITLE",
    "write_file PENDING?",
    "input-required",
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "text done",
    "completed",
  ]);
});

test("a refused write does not run, and the model sees the refusal [RFC-20]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello then say done");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  await stage.session.answer(
    { toolCallId: question!.toolCallId, selectedOptionId: "cancel", modifiedDetails: undefined },
    bob,
  );
  await stage.until(isState("completed"));

  await expect(stage.workspace.read("a.txt")).rejects.toThrow("ENOENT");
  expect(stage.session.snapshot().history).toContainEqual({
    role: "tool",
    results: [
      expect.objectContaining({ isError: true, text: expect.stringContaining("not allow") }),
    ],
  });
});

test("if a person edits the content in a question, the edited content is written [RFC-21]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  await stage.session.answer(
    {
      toolCallId: question!.toolCallId,
      selectedOptionId: "proceed_once",
      modifiedDetails: { $case: "fileDetails", value: { newContent: "goodbye" } },
    },
    bob,
  );
  await stage.until(isState("completed"));

  expect(await stage.workspace.read("a.txt")).toBe("goodbye");
});

test("an approved edit fails if the file changed after the question", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];
  await writeFile(path.join(stage.workspace.root, "a.txt"), "someone else's");

  await stage.session.answer(
    {
      toolCallId: question!.toolCallId,
      selectedOptionId: "proceed_once",
      modifiedDetails: undefined,
    },
    bob,
  );
  await stage.until(isState("completed"));

  expect(await stage.workspace.read("a.txt")).toBe("someone else's");
  expect(stage.ledger.events.map(brief)).toContain("write_file FAILED");
});

test("the verdict on a second answer contains the first answer and its sender [CLI-14, LOG-03]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];
  const { toolCallId } = question!;

  const verdicts = await Promise.all([
    stage.session.answer(
      { toolCallId, selectedOptionId: "cancel", modifiedDetails: undefined },
      alice,
    ),
    stage.session.answer(
      { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
      bob,
    ),
  ]);

  expect(verdicts[0]).toMatchObject({ accepted: true });
  expect(verdicts[1]).toEqual({
    accepted: false,
    reason: "closed",
    answeredBy: toOrigin(alice),
    selectedOptionId: "cancel",
  });
});

test("an option that was not offered is refused and the question stays open", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  const answer = stage.session.answer(
    { toolCallId: question!.toolCallId, selectedOptionId: "yes", modifiedDetails: undefined },
    bob,
  );

  await expect(answer).rejects.toThrow("there is no option yes");
  expect(stage.session.snapshot().turn?.calls[0]?.toolCall.confirmationRequest).toBeDefined();
});

test("two writes of one step ask together and run in the model's order", async () => {
  await using stage = await openStage({
    model: scriptedModel([
      [
        callTool("write_file", { file_path: "1.txt", content: "one" }),
        callTool("write_file", { file_path: "2.txt", content: "two" }),
      ],
      [say("done")],
    ]),
  });
  await stage.prompt("go");
  const asked = await stage.until(isState("input-required"));
  const [first, second] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];
  const allow = (toolCallId: string) =>
    stage.session.answer(
      { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
      bob,
    );

  await allow(second!.toolCallId);
  await allow(first!.toolCallId);
  await stage.until(isState("completed"));

  const executions = stage.ledger.events.filter((event) => brief(event) === "write_file EXECUTING");
  expect(
    executions.map((event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolCallId),
  ).toEqual([first!.toolCallId, second!.toolCallId]);
  expect(await stage.workspace.read("2.txt")).toBe("two");
});

test("prompts that arrive during a turn wait, then run in order, and keep their origins [CLI-10]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  await stage.prompt("say second", bob, "task-2");
  await stage.prompt("say third", alice, "task-3");
  await stage.session.answer(
    { toolCallId: question!.toolCallId, selectedOptionId: "cancel", modifiedDetails: undefined },
    alice,
  );
  await stage.until((event) => isState("completed")(event) && event.taskId === "task-3");

  const prompts = stage.ledger.events.filter((event) => event.kind === "USER_PROMPT");
  expect(prompts.map((event) => event.kind === "USER_PROMPT" && event.origin)).toEqual(
    [alice, bob, alice].map(toOrigin),
  );
});

test("cancelling a turn with an open question cancels its call", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello then say done");
  await stage.until(isState("input-required"));

  const isCancelled = await stage.session.cancel("task");

  expect(isCancelled).toBe(true);
  expect(stage.ledger.events.slice(-2).map(brief)).toEqual(["write_file CANCELLED", "canceled"]);
});

test("an error of the model makes the turn fail, and the session continues", async () => {
  await using stage = await openStage({
    model: scriptedModel([
      function* () {
        yield say("half");
        throw new Error("the model went away");
      },
      [say("back")],
    ]),
  });
  await stage.prompt("go");
  const failed = await stage.until(isState("failed"));

  await stage.prompt("again");
  await stage.until(isState("completed"));

  expect(failed.error).toBe("the model went away");
  expect(stage.ledger.events.map(brief)).toContain("text back");
});

test("a restored session keeps its open question and announces nothing twice [LOG-03]", async () => {
  await using stage = await openStage();
  await stage.prompt("write a.txt: hello then say done");
  const asked = await stage.until(isState("input-required"));
  const [question] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];
  await stage.session.close();
  const before = stage.ledger.events.length;

  const restored = await openDrivenSession({
    model: createOfflineModel(),
    tools: fileTools,
    workspace: stage.workspace,
    ledger: stage.ledger,
    journal: stage.ledger.journal,
  });
  const newEvents = stage.ledger.events.length - before;
  await restored.answer(
    {
      toolCallId: question!.toolCallId,
      selectedOptionId: "proceed_once",
      modifiedDetails: undefined,
    },
    bob,
  );
  await stage.until(isState("completed"));
  await restored.close();

  expect(newEvents).toBe(0);
  expect(await stage.workspace.read("a.txt")).toBe("hello");
});

test("a turn that was running when its process died has failed after the restart", async () => {
  let release = () => {};
  await using stage = await openStage({
    model: scriptedModel([
      async function* () {
        yield say("thinking");
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    ]),
  });
  await stage.prompt("go");
  await stage.until((event) => event.kind === "TEXT_CONTENT");
  const journal = [...stage.ledger.journal];
  const ledger = openMemoryLedger();

  const restored = await openDrivenSession({
    model: createOfflineModel(),
    tools: fileTools,
    workspace: stage.workspace,
    ledger,
    journal,
  });
  release();

  expect(ledger.events.map((event) => [brief(event), event.error])).toEqual([
    ["failed", "interrupted by a restart"],
  ]);
  await restored.close();
});

test("two approved edits of one file in one step are both applied", async () => {
  await using stage = await openStage({
    model: scriptedModel([
      [
        callTool("replace", { file_path: "a.txt", old_string: "one", new_string: "1" }),
        callTool("replace", { file_path: "a.txt", old_string: "two", new_string: "2" }),
      ],
      [say("done")],
    ]),
  });
  await writeFile(path.join(stage.workspace.root, "a.txt"), "one two");
  await stage.prompt("go");
  const asked = await stage.until(isState("input-required"));
  const waiting = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  for (const { toolCallId } of waiting) {
    await stage.session.answer(
      { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
      bob,
    );
  }
  await stage.until(isState("completed"));

  expect(waiting).toHaveLength(2);
  expect(await stage.workspace.read("a.txt")).toBe("1 2");
});

test("the reason of a refusal reaches the model in the same turn", async () => {
  const model = scriptedModel([
    [callTool("write_file", { file_path: "a", content: "b" })],
    [say("ok")],
  ]);
  await using stage = await openStage({ model });
  await stage.prompt("write it");
  await stage.until(isState("input-required"));
  const [call] = stage.session.snapshot().turn?.calls ?? [];
  const refusal = {
    toolCallId: call!.toolCall.toolCallId,
    selectedOptionId: "cancel",
    modifiedDetails: undefined,
    reason: "use b.txt instead",
  };

  await stage.session.answer(refusal, alice);
  await stage.until(isState("completed"));

  const results = stage.session
    .snapshot()
    .history.flatMap((item) => (item.role === "tool" ? item.results.map(({ text }) => text) : []));
  expect(results).toEqual(["The user did not allow this and said: use b.txt instead"]);
});

test("a task that was opened without a prompt waits for its first prompt", async () => {
  await using stage = await openStage();
  const request = { type: "open-task", taskId: "empty" } as const;

  const opened = await stage.session.handle(request, alice);
  const again = await stage.session.handle(request, alice);
  await stage.prompt("say hello", alice, "empty");
  await stage.until(isState("completed"));

  expect(opened).toEqual({
    type: "ticket",
    ticket: { taskId: "empty", turn: 0, afterPosition: 0 },
  });
  expect(again).toEqual({ type: "ticket", ticket: { taskId: "empty", turn: 0, afterPosition: 3 } });
  expect(stage.ledger.events.map((event) => event.state)).toEqual([
    "submitted",
    "working",
    "input-required",
    "input-required",
    "working",
    "working",
    "working",
    "completed",
  ]);
});

test("a refused request is answered with code and message", async () => {
  await using stage = await openStage();
  await stage.session.handle({ type: "finish" }, alice);

  const reply = await stage.session.handle({ type: "cancel", taskId: "task" }, alice);

  expect(reply).toEqual({
    type: "refused",
    code: "agent-busy",
    message: "the session is closing",
  });
});
