import type { ConnectOptions, SessionEvent, TaskHandle } from "@dt/client";
import { geminiScript } from "@dt/client/testing";
import { expect, test } from "vitest";
import { brief, openGeminiStage } from "./support/open-gemini-stage.js";

// The peer in these tests is a stand-in for gemini-cli's own a2a-server.
const { call, runShell, say, writeFile } = geminiScript;

const WORKSPACE_PATH = "/workspace";

/** Reads a task to its end and answers every question. */
async function readAndAnswer(
  task: TaskHandle,
  answer: Parameters<TaskHandle["answer"]>[1] = "proceed_once",
): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of task.events()) {
    events.push(event);
    if (event.kind !== "TOOL_CALL_UPDATE" || !event.toolCall.confirmationRequest) continue;
    expect(await task.answer(event.toolCall, answer)).toEqual({ accepted: true });
  }
  return events;
}

test("text, thoughts and citations of the peer arrive as typed events", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [
        { type: "think", subject: "Planning", description: "I will look first." },
        { type: "think", subject: "", description: "bare" },
        say("Hello "),
        say("you."),
        {
          type: "cite",
          text: "Citations:\n(A source) https://example.com/a\nhttps://example.com/b",
        },
      ],
    ],
  });
  const client = await stage.connect({ clientName: "test" });

  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "hi" });
  const events = await readAndAnswer(task);

  expect(events.map(brief)).toEqual([
    "working",
    "THOUGHT",
    "THOUGHT",
    "says Hello ",
    "says you.",
    "CITATION",
    "CITATION",
    "completed",
  ]);
  expect(events[1]).toMatchObject({
    thought: { subject: "Planning", description: "I will look first." },
    model: "gemini-2.5-pro",
  });
  expect(events[5]).toMatchObject({
    citation: { uri: "https://example.com/a", title: "A source" },
  });
  expect(events[6]).toMatchObject({ citation: { uri: "https://example.com/b", title: "" } });
  const { items } = task.view();
  expect(items[0]?.event).toMatchObject({
    kind: "USER_PROMPT",
    parts: [{ type: "text", text: "hi" }],
    origin: { name: "test" },
  });
  expect(items[3]?.event).toEqual({ kind: "TEXT_CONTENT", text: "Hello you." });
  expect(stage.standIn.requests[0]?.params).toMatchObject({
    message: {
      metadata: { coderAgent: { kind: "agent-settings", workspacePath: WORKSPACE_PATH } },
    },
  });
});

test("a file edit has a question with its diff, and after the approval a result [RFC-19]", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(writeFile("/workspace/a.txt", "new\n", "old\n")), say("Wrote it.")]],
  });
  const client = await stage.connect();

  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const events = await readAndAnswer(task);

  const [, asked, waiting, started, done] = events;
  expect(events.map(brief)).toEqual([
    "working",
    "write_file PENDING asks",
    "input-required",
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "says Wrote it.",
    "completed",
  ]);
  const diff = {
    fileName: "a.txt",
    filePath: "/workspace/a.txt",
    oldContent: "old\n",
    newContent: "new\n",
  };
  expect(asked).toMatchObject({
    state: "working",
    toolCall: {
      confirmationRequest: {
        options: [{ id: "proceed_once" }, { id: "proceed_always" }, { id: "cancel" }],
        details: { $case: "fileEditDetails", value: diff },
      },
    },
  });
  expect(waiting).toMatchObject({ waiting: [{ status: "PENDING" }] });
  expect(started).toMatchObject({
    state: "working",
    answer: { selectedOptionId: "proceed_once", origin: { principal: "local" } },
  });
  expect(done).toMatchObject({
    toolCall: { result: { value: { result: { $case: "diff", value: diff } } } },
  });
  expect(stage.standIn.ran).toHaveLength(1);
});

test("a refused call is cancelled, and the next prompt continues the same task [RFC-20] [RFC-27]", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(writeFile("/workspace/a.txt", "x")), say("never said")], [say("ok")]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const { taskId } = task;

  const first = await readAndAnswer(task, "cancel");
  await task.prompt("never mind");
  const second = await readAndAnswer(task);

  expect(first.map(brief).slice(3)).toEqual(["write_file CANCELLED", "completed"]);
  expect(second.map(brief)).toEqual(["USER_PROMPT", "working", "says ok", "completed"]);
  expect(task.taskId).toBe(taskId);
  expect(stage.standIn.ran).toEqual([]);
});

test("edited content in an answer is written, and the peer's repeated question is dropped [RFC-21]", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(writeFile("/workspace/a.txt", "proposed")), say("Wrote it.")]],
  });
  const client = await stage.connect();

  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const events = await readAndAnswer(task, { newContent: "edited" });

  expect(events.map(brief)).toEqual([
    "working",
    "write_file PENDING asks",
    "input-required",
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "says Wrote it.",
    "completed",
  ]);
  expect(stage.standIn.ran[0]?.newContent).toBe("edited");
});

test("live output of a shell command arrives without terminal padding [RFC-12]", async () => {
  const pad = (...lines: string[]) => lines.map((line) => line.padEnd(80)).join("\n");
  const screens = [pad("tick 1", ""), pad("tick 1", "tick 2")];
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await using stage = await openGeminiStage({
    turns: [[call({ ...runShell("tick", screens), until }), say("Ticked.")]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "tick" });
  const seen: string[] = [];

  for await (const event of task.events()) {
    seen.push(brief(event));
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    if (event.toolCall.confirmationRequest) await task.answer(event.toolCall, "proceed_once");
    if (event.toolCall.liveContent?.includes("tick 2")) finish();
  }

  // Newer live output replaces output that was not read yet, so the event with "tick 1" alone may be missing.
  expect(seen.filter((word) => !word.endsWith("prints tick 1"))).toEqual([
    "working",
    "run_shell_command PENDING asks",
    "input-required",
    "run_shell_command EXECUTING",
    "run_shell_command EXECUTING prints tick 1\ntick 2",
    "run_shell_command SUCCEEDED",
    "says Ticked.",
    "completed",
  ]);
});

test('"always" answers reach the peer, and a question of an MCP tool offers two "always" options', async () => {
  const mcp = (server: string) => ({
    name: `add_${server}`,
    args: { a: 1 },
    confirmation: { type: "mcp", title: "Confirm", serverName: server, toolName: "add" },
    result: "3",
  });
  await using stage = await openGeminiStage({
    turns: [[call(mcp("one")), call(mcp("one")), call(mcp("two"))], [call(runShell("ls"))]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "add" });
  const asked: SessionEvent[] = [];

  for await (const event of task.events()) {
    if (event.kind !== "TOOL_CALL_UPDATE" || !event.toolCall.confirmationRequest) continue;
    asked.push(event);
    await task.answer(
      event.toolCall,
      asked.length === 1 ? "proceed_always" : "proceed_always_server",
    );
  }
  await task.prompt("run");
  await readAndAnswer(task, "proceed_always");

  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatchObject({
    toolCall: {
      confirmationRequest: {
        options: [
          { id: "proceed_once" },
          { id: "proceed_always" },
          { id: "proceed_always_server" },
          { id: "cancel" },
        ],
        details: { $case: "mcpDetails", value: { serverName: "one", toolName: "add" } },
      },
    },
  });
  const outcomes = stage.standIn.requests.flatMap(({ params }) =>
    // biome-ignore lint/suspicious/noExplicitAny: the peer's JSON.
    ((params.message as any)?.parts ?? []).flatMap((part: any) => part.data?.outcome ?? []),
  );
  expect(outcomes).toEqual(["proceed_always_tool", "proceed_always_server", "proceed_always"]);
});

test("consecutive questions are answered one by one, and each question is sent once", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [
        call(writeFile("/w/a", "a"), writeFile("/w/b", "b"), writeFile("/w/c", "c")),
        say("Wrote some."),
      ],
    ],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const seen: string[] = [];
  const answers = ["proceed_once", "cancel", "proceed_once"];

  for await (const event of task.events()) {
    seen.push(brief(event));
    if (event.kind !== "TOOL_CALL_UPDATE" || !event.toolCall.confirmationRequest) continue;
    await task.answer(event.toolCall, answers.shift() ?? "");
  }

  const asked = ["write_file PENDING asks", "input-required"];
  const ran = ["write_file EXECUTING", "write_file SUCCEEDED"];
  expect(seen).toEqual([
    "working",
    ...[...asked, ...ran],
    ...[...asked, "write_file CANCELLED"],
    ...[...asked, ...ran],
    "says Wrote some.",
    "completed",
  ]);
});

test("simultaneous questions are answered one by one, and the answers are sent together", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [call(writeFile("/w/a", "a"), writeFile("/w/b", "b"), writeFile("/w/c", "c")), say("Done.")],
    ],
    asksTogether: true,
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const seen: string[] = [];

  for await (const event of task.events()) {
    seen.push(`${brief(event)} in ${event.state}`);
    if (event.kind !== "STATE_CHANGE" || event.waiting === undefined) continue;
    const [a, b, c] = event.waiting;
    await task.answer(a!, "proceed_once");
    await task.answer(b!, "cancel");
    expect(await task.answer(a!, "cancel")).toMatchObject({
      accepted: false,
      selectedOptionId: "proceed_once",
    });
    await task.answer(c!, "proceed_once");
  }

  expect(seen).toEqual([
    "working in working",
    ...Array(3).fill("write_file PENDING asks in working"),
    "input-required in input-required",
    ...Array(2).fill("write_file PENDING in input-required"),
    "write_file EXECUTING in working",
    "write_file SUCCEEDED in working",
    "write_file CANCELLED in working",
    "write_file EXECUTING in working",
    "write_file SUCCEEDED in working",
    "says Done. in working",
    "completed in completed",
  ]);
  expect(stage.standIn.ran).toHaveLength(2);
  const answering = stage.standIn.requests.filter(({ method }) => method === "message/stream");
  expect(answering).toHaveLength(2);
});

test("failed tool calls report the reason and the type of the failure [RFC-13]", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [
        call({
          name: "no_such_tool",
          args: {},
          error: { message: "not found in registry", type: "tool_not_registered", isInvalid: true },
        }),
        call({
          name: "read_file",
          args: { file_path: "/w/x" },
          confirmation: { type: "info", title: "Confirm: ReadFile", prompt: "x" },
          error: { message: "File not found: /w/x", type: "file_not_found" },
        }),
        call({ name: "read_file", args: {}, result: "", output: "content\n" }),
        say("Sorry."),
      ],
    ],
  });
  const client = await stage.connect();

  const events = await readAndAnswer(
    await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "fail" }),
  );

  expect(events.map(brief)).toEqual([
    "working",
    "no_such_tool PENDING",
    "no_such_tool FAILED",
    "read_file PENDING asks",
    "input-required",
    "read_file EXECUTING",
    "read_file FAILED",
    "read_file PENDING",
    "read_file EXECUTING",
    "read_file SUCCEEDED",
    "says Sorry.",
    "completed",
  ]);
  expect(events[2]).toMatchObject({
    toolCall: {
      result: { value: { message: "not found in registry", type: "tool_not_registered" } },
    },
  });
  expect(events[3]).toMatchObject({
    toolCall: {
      confirmationRequest: {
        details: { $case: "genericDetails", value: { description: "Confirm: ReadFile\nx" } },
      },
    },
  });
  expect(events[9]).toMatchObject({
    toolCall: { result: { value: { result: { $case: "text", value: "content\n" } } } },
  });
});

test("a model error fails the turn, but an error that the peer retries is only logged", async () => {
  const failure = { type: "fail", message: "503 overloaded", error: "[API Error]" } as const;
  await using stage = await openGeminiStage({
    turns: [[say("par"), failure], [failure, say("went on")], [say("well")]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "one" });

  const first = await readAndAnswer(task);
  await task.prompt("two");
  const second = await readAndAnswer(task);

  expect(first.map(brief)).toEqual(["working", "says par", "failed"]);
  expect(first.at(-1)?.error).toBe("[API Error] 503 overloaded");
  expect(second.map(brief)).toEqual([
    "USER_PROMPT",
    "working",
    "CONSOLE_LOG",
    "says went on",
    "completed",
  ]);
});

test("a task with autoExecute runs its tools without questions", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(writeFile("/w/a", "a")), say("Done.")]],
  });
  const client = await stage.connect();
  const settings = { autoExecute: true };

  const events = await readAndAnswer(
    await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "go", settings }),
  );

  expect(events.map(brief)).toEqual([
    "working",
    "write_file PENDING",
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "says Done.",
    "completed",
  ]);
});

test("a task can be cancelled at a question, during text and during a shell command", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [call(writeFile("/w/a", "a"))],
      [say("thinking"), { type: "wait" }],
      [call({ ...runShell("sleep 9", ["started"]), until: new Promise(() => {}) })],
    ],
  });
  const client = await stage.connect();
  const cancelAt = async (word: string, answer?: string) => {
    const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: word });
    const seen: string[] = [];
    for await (const event of task.events()) {
      seen.push(brief(event));
      if (brief(event) === word) await task.cancel();
      if (answer && event.kind === "TOOL_CALL_UPDATE" && event.toolCall.confirmationRequest) {
        await task.answer(event.toolCall, answer);
      }
    }
    return { task, seen };
  };

  const waiting = await cancelAt("input-required");
  const streaming = await cancelAt("says thinking");
  const running = await cancelAt("run_shell_command EXECUTING prints started", "proceed_once");

  expect(waiting.seen.slice(3)).toEqual(["write_file CANCELLED", "canceled"]);
  expect(streaming.seen).toEqual(["working", "says thinking", "canceled"]);
  expect(running.seen.slice(5)).toEqual(["CONSOLE_LOG", "run_shell_command CANCELLED", "canceled"]);
  await expect(waiting.task.cancel()).rejects.toMatchObject({ code: "task-not-cancelable" });
});

test("after a cancel the session continues as a new task, because the peer refuses the old task", async () => {
  await using stage = await openGeminiStage({ turns: [[{ type: "wait" }], [say("new")]] });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "wait" });
  const first = task.taskId;
  await task.cancel();
  for await (const _ of task.events());

  await task.prompt("go on");
  const events = await readAndAnswer(task);

  expect(events.map(brief)).toEqual(["working", "says new", "completed"]);
  expect(task.taskId).not.toBe(first);
  expect(events[0]?.contextId).toBe(task.contextId);
});

test("a prompt during a turn is queued by the client, because the peer would discard it [CLI-10]", async () => {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await using stage = await openGeminiStage({
    turns: [[say("one"), { type: "wait", until }], [say("two")], [say("three")]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "first" });
  const seen: string[] = [];

  for await (const event of task.events()) {
    seen.push(event.kind === "QUEUE" ? `${event.prompts.length} wait` : brief(event));
    if (seen.at(-1) === "says one") {
      await task.prompt("second");
      await task.prompt("third");
      finish();
    }
  }

  expect(seen).toEqual([
    ...["working", "says one", "1 wait", "2 wait", "completed"],
    ...["1 wait", "USER_PROMPT", "working", "says two", "completed"],
    ...["0 wait", "USER_PROMPT", "working", "says three", "completed"],
  ]);
  expect(stage.standIn.requests.map(({ method }) => method)).toEqual(
    Array(3).fill("message/stream"),
  );
});

test("an answer after more than five seconds reaches the peer, because the client keeps polling", async () => {
  // The peer cancels the tool if the connection of the prompt closes before the answer. The peer closes idle
  // connections after five seconds, and Node's fetch closes them even earlier. The client polls to keep them
  // busy.
  await using stage = await openGeminiStage({
    turns: [
      [call(writeFile("/w/a", "a")), say("one")],
      [call(writeFile("/w/b", "b")), say("two")],
    ],
  });
  const client = await stage.connect();
  const start = async (prompt: string) =>
    await client.startTask({ workspacePath: WORKSPACE_PATH, prompt });
  const [one, two] = await Promise.all([start("one"), start("two")]);
  const polls = () => stage.standIn.requests.filter(({ method }) => method === "tasks/get").length;
  const follow = async (task: TaskHandle) => {
    const seen: string[] = [];
    for await (const event of task.events()) {
      seen.push(brief(event));
      if (event.kind !== "STATE_CHANGE" || event.waiting?.[0] === undefined) continue;
      // Ten polls take longer than five seconds.
      await expect.poll(polls, { timeout: 300_000 }).toBeGreaterThanOrEqual(10);
      await task.answer(event.waiting[0], "proceed_once");
    }
    return seen.at(-1);
  };

  const ends = await Promise.all([follow(one), follow(two)]);

  expect(ends).toEqual(["completed", "completed"]);
  expect(stage.standIn.ran).toHaveLength(2);
  expect(stage.ended).toEqual([]);
});

test("a turn fails if its connection breaks, and the next prompt works", async () => {
  await using stage = await openGeminiStage({
    turns: [[say("one"), { type: "wait" }], [say("two")]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "first" });
  const events: SessionEvent[] = [];

  for await (const event of task.events()) {
    events.push(event);
    if (brief(event) === "says one") stage.cut();
  }
  await task.prompt("second");
  const later = await readAndAnswer(task);

  expect(events.map(brief)).toEqual(["working", "says one", "failed"]);
  expect(events.at(-1)?.error).toContain("aborts a turn whose connection is gone");
  expect(later.map(brief)).toEqual(["USER_PROMPT", "working", "says two", "completed"]);
});

test("a running tool call is marked as failed if the connection breaks", async () => {
  await using stage = await openGeminiStage({
    turns: [[call({ ...runShell("sleep 9", ["started"]), until: new Promise(() => {}) })]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "run" });
  const seen: string[] = [];

  for await (const event of task.events()) {
    seen.push(brief(event));
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    if (event.toolCall.confirmationRequest) await task.answer(event.toolCall, "proceed_once");
    if (event.toolCall.liveContent) stage.cut();
  }

  expect(seen.slice(-2)).toEqual(["run_shell_command FAILED", "failed"]);
});

test("a task fails if the peer stops while a question is open", async () => {
  await using stage = await openGeminiStage({ turns: [[call(writeFile("/w/a", "a"))]] });
  const client = await stage.connect();
  const states: string[] = [];
  client.onConnectionChange(({ status }) => states.push(status));
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const events: SessionEvent[] = [];

  for await (const event of task.events()) {
    events.push(event);
    if (event.state === "input-required") await stage.close();
  }

  expect(events.map(brief).slice(-2)).toEqual(["write_file CANCELLED", "failed"]);
  expect(events.at(-1)?.error).toContain("cannot be reached");
  expect(states).toContain("reconnecting");
});

test("a task that another client cancelled is reported as canceled", async () => {
  await using stage = await openGeminiStage({ turns: [[call(writeFile("/w/a", "a"))]] });
  const client = await stage.connect();
  const other = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "write" });
  const seen: string[] = [];

  for await (const event of task.events()) {
    seen.push(brief(event));
    if (event.state === "input-required") await (await other.openTask(task.taskId)).cancel();
  }

  expect(seen.slice(-2)).toEqual(["write_file CANCELLED", "canceled"]);
});

test("a client that opens a running task gets its history and its next events", async () => {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await using stage = await openGeminiStage({
    turns: [[say("before"), { type: "wait", until }, say("after")]],
  });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "go" });
  for await (const event of task.events()) if (event.kind === "TEXT_CONTENT") break;

  const joined = await (await stage.connect()).openTask(task.taskId);
  const { items } = joined.view();
  finish();
  const events = await readAndAnswer(joined);

  expect(items.map(({ event }) => event.kind)).toEqual(["USER_PROMPT", "TEXT_CONTENT"]);
  expect(events.map(brief)).toEqual(["says after", "completed"]);
  await expect(client.openTask("nope")).rejects.toMatchObject({ code: "task-not-found" });
});

test("the client refuses files, settings and answers that the peer does not support", async () => {
  await using stage = await openGeminiStage({ turns: [[call(runShell("ls"))]] });
  const client = await stage.connect();
  const file = [{ type: "file", bytes: "aGk=", name: "a.txt" }] as const;
  const attached = client.startTask({ workspacePath: WORKSPACE_PATH, prompt: file });
  const tuned = client.startTask({
    workspacePath: WORKSPACE_PATH,
    prompt: "hi",
    settings: { model: "other" },
  });

  await expect(attached).rejects.toMatchObject({ code: "content-type-not-supported" });
  await expect(tuned).rejects.toMatchObject({ code: "unsupported-operation" });
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "run" });
  for await (const event of task.events()) if (event.state === "input-required") break;
  const [question] = task.view().openCalls;
  const answer = (choice: Parameters<TaskHandle["answer"]>[1]) => task.answer(question!, choice);
  await expect(answer("whatever")).rejects.toThrow("expected one of proceed_once");
  await expect(answer({ newContent: "x" })).rejects.toThrow("not about a file");
  await expect(task.answer({ toolCallId: "nope" }, "cancel")).rejects.toMatchObject({
    code: "confirmation-not-found",
  });
});

test("an update of an unknown kind arrives as an UNKNOWN event", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [
        {
          type: "raw",
          metadata: { coderAgent: { kind: "hologram" } },
          parts: [{ kind: "text", text: "?" }],
        },
      ],
    ],
  });
  const client = await stage.connect();

  const events = await readAndAnswer(
    await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "hi" }),
  );

  expect(events[1]).toMatchObject({
    kind: "UNKNOWN",
    wireKind: "hologram",
    parts: [{ type: "text", text: "?" }],
  });
});

test("an update with a field of a wrong type fails the turn with the path of that field", async () => {
  await using stage = await openGeminiStage({
    turns: [
      [
        {
          type: "raw",
          metadata: { coderAgent: { kind: "tool-call-update" } },
          parts: [{ kind: "data", data: { request: { callId: 5 }, status: "executing" } }],
        },
        { type: "wait" },
      ],
    ],
  });
  const client = await stage.connect();

  const events = await readAndAnswer(
    await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "hi" }),
  );

  expect(events.at(-1)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("parts[0].data.request.callId: expected a string"),
  });
});

test("the client lists the peer's commands and runs them [RFC-22] [RFC-23] [RFC-24]", async () => {
  await using stage = await openGeminiStage({
    commands: [
      {
        name: "memory",
        description: "Manage memory.",
        arguments: [],
        subCommands: [
          { name: "memory show", description: "Shows.", arguments: [], subCommands: [] },
        ],
      },
    ],
    results: {
      "memory show": { data: "Memory is currently empty." },
      restore: { data: { type: "message", messageType: "error", content: "File not found" } },
      init: { turn: [say("Looking. "), call(writeFile("/w/GEMINI.md", "x")), say("Done.")] },
    },
  });
  const client = await stage.connect();
  const run = async (...path: string[]) => {
    const command = await client.run(path);
    const events: SessionEvent[] = [];
    for await (const event of command.events()) events.push(event);
    return { status: command.status, message: command.message, seen: events.map(brief) };
  };

  const commands = await client.commands();
  const shown = await run("memory", "show");
  const failed = await run("restore");
  const streamed = await run("init");
  const unknown = await run("nope");

  expect(commands[0]?.subCommands[0]?.name).toBe("show");
  expect(shown).toEqual({
    status: "STARTED",
    message: "",
    seen: ["working", "says Memory is currently empty.", "completed"],
  });
  expect(failed.seen).toEqual(["working", "failed"]);
  expect(streamed.seen).toEqual([
    "working",
    "says Looking. ",
    ...["write_file PENDING", "write_file EXECUTING", "write_file SUCCEEDED"],
    "says Done.",
    "completed",
  ]);
  expect(unknown).toEqual({
    status: "FAILED_TO_START",
    message: "Command not found: nope",
    seen: [],
  });
});

test("listing tasks or push configs is refused, because the peer lacks these methods", async () => {
  await using stage = await openGeminiStage({ turns: [[say("hi")]] });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "hi" });

  const list = client.listTasks()[Symbol.asyncIterator]().next();
  const push = task.push.list();

  await expect(list).rejects.toMatchObject({ code: "method-not-found" });
  await expect(push).rejects.toMatchObject({ code: "method-not-found" });
});

test("connect needs the dialect option if the peer's card has another name", async () => {
  await using stage = await openGeminiStage({ turns: [[say("hi")]] });
  const disguised: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith("agent-card.json")) return response;
    return Response.json({ ...((await response.json()) as object), name: "Our agent" });
  };

  const refused = stage.connect({ fetch: disguised });
  await expect(refused).rejects.toThrow("extension");
  const client = await stage.connect({ fetch: disguised, dialect: "gemini" });
  const events = await readAndAnswer(
    await client.startTask({ workspacePath: WORKSPACE_PATH, prompt: "hi" }),
  );

  expect(events.map(brief)).toEqual(["working", "says hi", "completed"]);
});

test.each<[ConnectOptions, string]>([
  [{ version: "1.0" }, "gemini-cli's server only speaks A2A 0.3; leave out `version`"],
  [{ transport: "websocket" }, 'gemini-cli\'s server has no WebSocket; use transport: "sse"'],
])("connect to gemini-cli's server refuses the options %j", async (options, message) => {
  await using stage = await openGeminiStage();

  const reason = await stage.connect(options).catch((error: unknown) => error);

  expect(reason).toMatchObject({ name: "SetupError", message });
});
