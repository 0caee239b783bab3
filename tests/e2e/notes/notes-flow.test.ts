// "The notes" are the protocol notes, one of the five source documents (docs/documents.md).
import { callTool, say, scriptedModel } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openStage } from "../support/open-stage.js";
import { answer, brief, openNotesStage, questionOf, streamFrom } from "./notes-stage.js";

const CREATE =
  "think Create a file: I'll create hello.txt then write hello.txt: hello then say I've created hello.txt";

const FIRST_STREAM = [
  "state-change working",
  "thought",
  "tool-call-update PENDING",
  "tool-call-confirmation",
  "state-change input-required",
];

const SECOND_STREAM = [
  "state-change working",
  "tool-call-update EXECUTING",
  "tool-call-update SUCCEEDED",
  "text-content",
  "state-change completed",
];

test("the example flow of the notes sends its events in the order that the notes list [SRV-04, SRV-06]", async () => {
  await using stage = await openNotesStage();
  const { taskId, contextId } = await stage.createTask();

  const asked = await stage.stream({
    taskId,
    contextId,
    userMessage: CREATE,
    agentSettings: { kind: "agent-settings", workspacePath: stage.workspace.root },
  });
  const done = await stage.stream(answer(questionOf(asked), true));

  expect(brief(asked)).toEqual(FIRST_STREAM);
  expect(brief(done)).toEqual(SECOND_STREAM);
  expect([...asked, ...done].every(({ json }) => json.taskId === taskId)).toBe(true);
  expect([...asked, ...done].every(({ json }) => json.contextId === contextId)).toBe(true);
  expect(asked.at(-1)?.id).toBeDefined();
  expect(await stage.workspace.read("hello.txt")).toBe("hello");
  expect(stage.faults).toEqual([]);
});

test("the events of the example flow have the fields of the notes [SRV-06]", async () => {
  await using stage = await openNotesStage();
  const asked = await stage.stream({ userMessage: CREATE });
  const done = await stage.stream(answer(questionOf(asked), true));
  const { taskId, contextId } = asked[0]?.json ?? {};
  const ids = { taskId, contextId };
  const { toolCallId } = questionOf(asked)?.json ?? {};
  const call = {
    ...ids,
    toolCallId,
    toolName: "write_file",
    inputParameters: { file_path: "hello.txt", content: "hello" },
  };

  expect(asked.map(({ json }) => json)).toEqual([
    { kind: "state-change", ...ids, state: "submitted" },
    {
      kind: "agent-settings",
      ...ids,
      workspacePath: stage.workspace.root,
      autoExecute: false,
    },
    { kind: "state-change", ...ids, state: "working" },
    {
      kind: "thought",
      ...ids,
      subject: "Create a file",
      description: "I'll create hello.txt",
    },
    { kind: "tool-call-update", ...call, status: "PENDING" },
    {
      kind: "tool-call-confirmation",
      ...call,
      confirmationRequest: {
        title: "Change hello.txt",
        prompt: expect.stringContaining("+hello"),
        type: "warning",
      },
    },
    { kind: "state-change", ...ids, state: "input-required" },
  ]);
  expect(done.map(({ json }) => json)).toEqual([
    { kind: "state-change", ...ids, state: "working" },
    { kind: "tool-call-update", ...call, status: "EXECUTING" },
    { kind: "tool-call-update", ...call, status: "SUCCEEDED", result: expect.any(String) },
    { kind: "text-content", ...ids, text: "I've created hello.txt" },
    { kind: "state-change", ...ids, state: "completed" },
  ]);
});

test("a tool call that is not approved is cancelled, and the turn completes [SRV-04]", async () => {
  await using stage = await openNotesStage();
  const asked = await stage.stream({ userMessage: "run touch no.txt then say fine" });

  const done = await stage.stream(answer(questionOf(asked), false));

  expect(questionOf(asked)?.json.confirmationRequest).toMatchObject({ type: "danger" });
  expect(brief(done).slice(0, 2)).toEqual(["state-change working", "tool-call-update CANCELLED"]);
  expect(brief(done).at(-1)).toBe("state-change completed");
  await expect(stage.workspace.read("no.txt")).rejects.toThrow();
});

test("a task that was created without settings uses the settings of its first message [SRV-04]", async () => {
  await using stage = await openNotesStage();
  const { taskId, contextId } = await stage.createTask();
  const agentSettings = {
    kind: "agent-settings",
    workspacePath: stage.other.root,
    autoExecute: true,
  };

  const events = await stage.stream({ taskId, contextId, userMessage: CREATE, agentSettings });

  expect(brief(events)).toEqual([
    "state-change working",
    "thought",
    "tool-call-update PENDING",
    "tool-call-update EXECUTING",
    "tool-call-update SUCCEEDED",
    "text-content",
    "state-change completed",
  ]);
  expect(await stage.other.read("hello.txt")).toBe("hello");
  const again = await stage.send("message/stream", {
    taskId,
    userMessage: "say hi",
    agentSettings: { ...agentSettings, workspacePath: stage.workspace.root },
  });
  expect(again.status).toBe(403);
});

test("a message with only settings creates a task, and these settings apply to it [SRV-04, SRV-09]", async () => {
  await using stage = await openNotesStage();
  const settings = { kind: "agent-settings", workspacePath: stage.other.root, autoExecute: true };

  const created = await stage.stream({ contextId: "mine", userMessage: settings });
  const { taskId } = created[0]?.json ?? {};
  const events = await stage.stream({ taskId, userMessage: "write a.txt: hi" });
  const late = await stage.send("message/stream", { taskId, userMessage: settings });

  expect(created.map(({ json }) => json)).toEqual([
    { kind: "state-change", taskId, contextId: "mine", state: "submitted" },
    {
      kind: "agent-settings",
      taskId,
      contextId: "mine",
      workspacePath: stage.other.root,
      autoExecute: true,
    },
  ]);
  expect(brief(events)).not.toContain("tool-call-confirmation");
  expect(await stage.other.read("a.txt")).toBe("hi");
  expect([late.status, await late.json()]).toEqual([
    409,
    { error: `the task ${taskId} has begun; send settings together with a prompt` },
  ]);
});

test("autoExecute in POST /tasks applies only to the created task [SRV-09]", async () => {
  await using stage = await openNotesStage();
  const { contextId } = await stage.createTask();
  const agentSettings = { kind: "agent-settings", autoExecute: true };
  const taskId = await stage.createTask({ contextId, agentSettings });

  const free = await stage.stream({ taskId, userMessage: "write a.txt: hi" });
  const asked = await stage.stream({ contextId, userMessage: "write b.txt: hi" });

  expect(brief(free)).not.toContain("tool-call-confirmation");
  expect(await stage.workspace.read("a.txt")).toBe("hi");
  expect(brief(asked)).toContain("tool-call-confirmation");
});

test("a message with the id of a completed task continues that task [SRV-04, RFC-27]", async () => {
  await using stage = await openNotesStage();
  const [first] = await stage.stream({ userMessage: { kind: "text", text: "say one" } });
  const { taskId, contextId } = first?.json ?? {};
  const parts = [{ kind: "text", text: "say two" }];

  const next = await stage.stream({ taskId, contextId, userMessage: { role: "user", parts } });

  expect(next.map(({ json }) => json.text ?? json.state)).toEqual(["working", "two", "completed"]);
});

test("a re-sent message resumes after any Last-Event-ID, and is refused if its content differs [LOG-02, LOG-05]", async () => {
  await using stage = await openNotesStage();
  const body = { messageId: "m", userMessage: "say one then run echo" };

  const first = await stage.stream(body);
  const cursors = first.flatMap(({ id }, index) => (id === undefined ? [] : [{ id, index }]));

  expect(cursors.length).toBeGreaterThan(3);
  for (const { id, index } of cursors)
    expect(await stage.stream(body, { "Last-Event-ID": id })).toEqual(first.slice(index + 1));
  const changed = await stage.send("message/stream", { messageId: "m", userMessage: "other" });
  expect(changed.status).toBe(400);
});

test("two questions of one step can be answered one after the other [SRV-04]", async () => {
  const writes = ["a", "b"].map((name) =>
    callTool("write_file", { file_path: `${name}.txt`, content: name }),
  );
  await using stage = await openStage({ model: scriptedModel([writes, [say("both")]]) });
  const asked = await streamFrom(stage.url, { userMessage: "go" });
  const [one, two] = asked.filter(({ json }) => json.kind === "tool-call-confirmation");

  const first = await streamFrom(stage.url, answer(one, true));
  const second = await streamFrom(stage.url, answer(two, true));

  expect(brief(asked).slice(-3)).toEqual([
    "tool-call-update PENDING",
    "tool-call-confirmation",
    "state-change input-required",
  ]);
  expect(brief(first).slice(-2)).toEqual(["tool-call-confirmation", "state-change input-required"]);
  expect(questionOf(first)?.json.toolCallId).toBe(two?.json.toolCallId);
  expect(brief(second).at(-1)).toBe("state-change completed");
  expect([await stage.workspace.read("a.txt"), await stage.workspace.read("b.txt")]).toEqual([
    "a",
    "b",
  ]);
});

test("the last event of a failed turn has the state failed and the reason [SRV-06]", async () => {
  await using stage = await openNotesStage();

  const events = await stage.stream({ userMessage: "fail for good" });

  expect(events.at(-1)?.json).toMatchObject({
    kind: "state-change",
    state: "failed",
    error: expect.stringContaining("for good"),
  });
});
