import { readFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openExternalStage } from "./open-external-stage.js";

test("an agent that dies fails the turn, and its open question is cancelled [ACP-03]", async () => {
  await using stage = await openExternalStage({ keepVariables: ["AGENT_KEY"] });

  const { taskId } = await stage.send("run execute make", "ask-and-die");
  const end = await stage.end(taskId);
  const next = await stage.run("say again");

  expect(end).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/ended with exit code 3/),
  });
  expect(end.error).toContain("out of luck");
  expect(end.error).not.toContain("secret-of-the-agent");
  expect(stage.calls()["execute dying"]).toEqual(["PENDING?", "CANCELLED"]);
  expect(next.state).toBe("completed");
});

test("an answer after the agent's death approves nothing [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("ask-and-die");
  const question = await stage.question();
  await stage.end(taskId);

  expect(await stage.answer(question)).toEqual({ accepted: false, reason: "unknown" });
});

test.each([
  ["hang-initialize", /did not answer initialize within 0.5 s/],
  ["die-at-start", /ended with exit code 9/],
  ["version-9", /speaks version 9/],
  ["needs-login", /needs a login/],
])("an agent that starts with %s fails the turn with the reason", async (agentMode, reason) => {
  const timeouts = agentMode === "hang-initialize" ? { initialize: 500 } : {};
  await using stage = await openExternalStage({ agentMode, timeouts });

  const end = await stage.run("say hello");

  expect(end).toMatchObject({ state: "failed", error: expect.stringMatching(reason) });
});

test("a program that is not installed fails the turn with an error that names the program", async () => {
  await using stage = await openExternalStage({ command: "no-such-agent --acp" });

  const end = await stage.run("say hello");

  expect(end.error).toBe("no-such-agent could not be started: it is not installed");
});

test("an agent that ignores a cancel is killed, and the next turn starts it again", async () => {
  await using stage = await openExternalStage({ agentMode: "deaf" });

  const { taskId } = await stage.send("say waiting", "hang");
  await stage.until(({ kind }) => kind === "TEXT_CONTENT");
  await stage.cancel(taskId);
  const next = await stage.run("say again");

  expect([next.state, stage.text()]).toEqual(["completed", "waitingagain"]);
});

test("a turn that works too long is stopped", async () => {
  await using stage = await openExternalStage({ maxWorkMs: 300 });

  const end = await stage.run("wait");

  expect(end).toMatchObject({ state: "failed", error: expect.stringContaining("its limit") });
});

test("every update of a flood is logged, in order [LOG-01]", async () => {
  await using stage = await openExternalStage();

  await stage.run("flood 5000", "say end");

  expect(stage.text()).toBe(`${"x".repeat(5000)}end`);
});

test("bad frames, unknown updates and unknown methods change nothing [SEC-09]", async () => {
  await using stage = await openExternalStage({
    limits: { maxLineBytes: 10_000, maxPendingRequests: 4 },
  });

  const end = await stage.run("bad-frames", "long-line 20000", "unknown-method", "say fine");

  expect(end.state).toBe("completed");
  expect(stage.text()).toMatch(/^error -32601: .*;fine$/);
});

test("an agent with too many open calls is stopped [SEC-09]", async () => {
  await using stage = await openExternalStage();

  const end = await stage.run("open-calls 300");

  expect(end).toMatchObject({
    state: "failed",
    error: expect.stringContaining("256 open tool calls"),
  });
});

test("two questions about one call are asked separately [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("ask-twice ls");
  const first = await stage.question();
  await stage.answer(first);
  const second = await stage.until(
    (event) =>
      event.kind === "TOOL_CALL_UPDATE" &&
      event.toolCall.confirmationRequest !== undefined &&
      event.toolCall.toolCallId !== first.toolCallId,
  );
  if (second.kind === "TOOL_CALL_UPDATE") await stage.answer(second.toolCall, "cancel");
  await stage.end(taskId);

  // The agent asks both questions at once, so either of them may be shown first.
  expect(["answered yes and no;", "answered no and yes;"]).toContain(stage.text());
});

test("a call that runs although nobody answered its question is shown with a warning [ACP-03]", async () => {
  await using stage = await openExternalStage();

  await stage.run("ask-and-go ls");

  // The agent does not wait for the answer, so the call may run before its question is shown.
  const shown = stage.calls()["execute ls"] ?? [];
  expect(shown.slice(0, -3)).toEqual(shown.length === 3 ? [] : ["PENDING?", "CANCELLED"]);
  expect(shown.slice(-3)).toEqual(["PENDING", "EXECUTING", "SUCCEEDED"]);
  expect(stage.warnings()).toEqual([
    expect.stringMatching(/went on without permission: execute ls/),
  ]);
  expect(stage.text()).toMatch(/^answered (no|cancelled);$/);
});

test("updates and questions after the end of a turn are ignored, and the next turn warns of them", async () => {
  await using stage = await openExternalStage();

  await stage.run("late", "say now;");
  const answered = path.join(stage.workspace.root, "late.txt");
  await expect.poll(() => readFile(answered, "utf8"), { timeout: 60_000 }).toBe("cancelled");
  await stage.run("say later");

  expect(stage.text()).toBe("now;later");
  expect(stage.calls()).toEqual({});
  expect(stage.warnings()).toEqual([
    expect.stringMatching(/sent 3 messages after its turn had ended; dt ignored them/),
  ]);
});

test("a process that the agent started ends with the session", async () => {
  const stage = await openExternalStage();
  await stage.run("child");
  const pid = Number(/pid (\d+)/.exec(stage.text())?.[1]);

  await stage[Symbol.asyncDispose]();

  // A process that has ended may wait for its parent as a zombie, without a command line.
  expect(await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).toBe("");
});

test("after a restart the agent's session is loaded, and its history is not repeated [ACP-03]", async () => {
  await using stage = await openExternalStage();
  await stage.run("say before");

  await stage.restart();
  const end = await stage.run("say after");

  expect(end.state).toBe("completed");
  expect(stage.text()).toBe("beforeafter");
  expect(stage.warnings()).toEqual([]);
});

test("a history that the agent sends after it has loaded the session is not repeated [ACP-03]", async () => {
  await using stage = await openExternalStage({ agentMode: "late-replay" });
  await stage.run("say before");

  await stage.restart();
  await stage.run("say after");

  expect(stage.text()).toBe("beforeafter");
});

test("an agent that cannot load its session begins a new one, and dt shows a warning [ACP-03]", async () => {
  await using stage = await openExternalStage({ agentMode: "no-load" });
  await stage.run("say before");

  await stage.restart();
  const end = await stage.run("say after");

  expect(end.state).toBe("completed");
  expect(stage.warnings()).toEqual([
    expect.stringMatching(/cannot continue the earlier conversation/),
  ]);
});

test("a question that was open at a restart is cancelled, never approved [ACP-03]", async () => {
  await using stage = await openExternalStage();
  await stage.send("ask execute ls");
  const question = await stage.question();

  await stage.restart();

  expect(await stage.answer(question)).toEqual({ accepted: false, reason: "unknown" });
  expect(stage.calls()["execute ls"]).toEqual(["PENDING?", "CANCELLED"]);
});

test("an approved edit writes exactly the content that its question showed [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send(`edit ${stage.workspace.root}/a.txt new text`);
  await stage.answer(await stage.question());
  await stage.end(taskId);

  expect(await readFile(path.join(stage.workspace.root, "a.txt"), "utf8")).toBe("new text");
  expect(Object.values(stage.calls())).toEqual([["PENDING?", "EXECUTING", "SUCCEEDED"]]);
});

test("a write inside a running call needs no second question if it writes what the question showed [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send(`edit-inside ${stage.workspace.root}/a.txt new text`);
  await stage.answer(await stage.question());
  await stage.end(taskId);

  expect(await readFile(path.join(stage.workspace.root, "a.txt"), "utf8")).toBe("new text");
  expect(stage.text()).toBe("written;");
  const asked = Object.values(stage.calls())
    .flat()
    .filter((status) => status === "PENDING?");
  expect(asked).toHaveLength(1);
});

test("a write that nobody approved leads to a question, and a checkpoint is saved before the write [ACP-03]", async () => {
  const saved: unknown[] = [];
  const checkpoints = { save: async (copy: unknown) => void saved.push(copy) };
  await using stage = await openExternalStage({ checkpoints });

  const { taskId } = await stage.send("write b.txt text");
  await stage.answer(await stage.question());
  await stage.end(taskId);

  expect(stage.text()).toBe("written;");
  expect(stage.calls()).toEqual({ "Create b.txt": ["PENDING?", "EXECUTING", "SUCCEEDED"] });
  expect(saved).toEqual([{ turn: 1, paths: [path.join(stage.workspace.root, "b.txt")] }]);
});

test("a read outside the workspace leads to a question, and a missing file is reported as missing [SEC-06]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("read none.txt", "read /etc/hostname");
  await stage.answer(await stage.question(), "cancel");
  await stage.end(taskId);

  expect(stage.text()).toMatch(/^error -32002: .*;error -32603: .*refused/);
});

test("a command in a terminal asks, runs and returns its output [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("terminal echo one two");
  const question = await stage.question();
  await stage.answer(question);
  await stage.end(taskId);

  expect(question.confirmationRequest?.details).toMatchObject({
    $case: "executeDetails",
    value: { command: "echo one two" },
  });
  expect(stage.text()).toBe("one two (0);");
});

test("dt asks again if the text to be written differs from the approved text [ACP-03, SEC-06]", async () => {
  await using stage = await openExternalStage();
  const file = path.join(stage.workspace.root, "a.txt");
  const { taskId } = await stage.send(`swap ${file} other text`);
  const first = await stage.question();
  const asked = stage.ledger.events.length;
  await stage.answer(first);
  const second = await stage.question(asked);

  expect(second.confirmationRequest?.details).toMatchObject({
    value: { newContent: "other text" },
  });
  await stage.answer(second, "cancel");
  await stage.end(taskId);
  await expect(readFile(file)).rejects.toThrow("ENOENT");
});

test("dt asks again if an approved command is to run in another directory [ACP-03, SEC-06]", async () => {
  await using stage = await openExternalStage();
  await using other = await openTempWorkspace();
  const { taskId } = await stage.send(`elsewhere ${other.root} touch made`);
  const first = await stage.question();
  const asked = stage.ledger.events.length;
  await stage.answer(first);
  const second = await stage.question(asked);

  expect(second.confirmationRequest?.details).toMatchObject({
    value: { command: "touch made", workingDirectory: other.root },
  });
  await stage.answer(second, "cancel");
  await stage.end(taskId);
  await expect(readFile(path.join(other.root, "made"))).rejects.toThrow("ENOENT");
});

test.each([
  ["ask execute ls", "run_shell_command"],
  ["terminal ls", "run_shell_command"],
  ["write a.txt text", "write_file"],
  ["ask edit a.txt text", "write_file"],
])(
  "even in yolo, the policy refuses what the agent does for %j, and the error names the tool [ACP-03, SEC-10]",
  async (prompt, tool) => {
    await using stage = await openExternalStage({
      mode: "yolo",
      isToolAllowed: (name) => name !== "run_shell_command" && name !== "write_file",
    });

    await stage.run(prompt);

    expect(Object.values(stage.calls()).flat()).not.toContain("EXECUTING");
    expect(JSON.stringify(stage.ledger.events)).toContain(
      `the policy of this server does not allow ${tool}`,
    );
    await expect(readFile(path.join(stage.workspace.root, "a.txt"))).rejects.toThrow("ENOENT");
  },
);
