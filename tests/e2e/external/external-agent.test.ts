import { expect, test } from "vitest";
import { openExternalStage } from "./open-external-stage.js";

test("an agent's text, thoughts, plan and usage become events of the session [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const end = await stage.run(
    "think **Look** around",
    "plan first",
    "usage",
    "say hello",
    "say  you",
  );

  expect(end).toMatchObject({ state: "completed", model: "small" });
  const told = stage.ledger.events.filter(({ kind }) => !/STATE|PROMPT|TITLE/.test(kind));
  expect(told).toMatchObject([
    { kind: "THOUGHT", thought: { subject: "Look", description: "around" } },
    { kind: "TODOS", todos: [{ description: "first", status: "IN_PROGRESS" }] },
    {
      kind: "USAGE",
      report: { contextTokens: 1200, contextLimit: 200000, sessionCost: { amount: "0.25" } },
    },
    { kind: "TEXT_CONTENT", text: "hello" },
    { kind: "TEXT_CONTENT", text: " you" },
    { kind: "USAGE", report: { contextTokens: 1200, turnCost: { amount: "0.25" } } },
  ]);
});

test("a call without a question is shown from start to end [ACP-03]", async () => {
  await using stage = await openExternalStage();

  await stage.run("run execute make");

  expect(stage.calls()).toEqual({ "execute make": ["PENDING", "EXECUTING", "SUCCEEDED"] });
});

test('dt remembers an "always" answer, and tells the agent to allow each call once [ACP-03]', async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("ask edit a.txt new text", "ask edit b.txt more");
  const question = await stage.question();
  await stage.answer(question, "proceed_always");
  await stage.end(taskId);

  expect(question.confirmationRequest).toMatchObject({
    details: {
      $case: "fileEditDetails",
      value: { filePath: `${stage.workspace.root}/a.txt`, newContent: "new text" },
    },
  });
  // The session remembers "always", so the second call is allowed without a question.
  expect(stage.text()).toBe("answered yes;answered yes;");
  expect(stage.calls()).toEqual({
    "edit a.txt": ["PENDING?", "EXECUTING", "SUCCEEDED"],
    "edit b.txt": ["PENDING", "EXECUTING", "SUCCEEDED"],
  });
});

test("a refused call does not run, and the task waits while its question is open [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("ask execute rm x");
  const question = await stage.question();
  const waiting = await stage.until(({ state }) => state === "input-required");
  await stage.answer(question, "cancel");
  await stage.end(taskId);

  expect(waiting).toMatchObject({ kind: "STATE_CHANGE", waiting: [question] });
  expect(stage.text()).toBe("answered no;");
  expect(stage.calls()).toEqual({ "execute rm x": ["PENDING?", "CANCELLED"] });
});

test("in plan mode every change is refused without a question [ACP-03]", async () => {
  await using stage = await openExternalStage({ mode: "plan" });

  await stage.run("ask edit a.txt x", "write b.txt y", "terminal touch c");

  expect(stage.text()).toMatch(
    /^answered no;error -32603: in plan mode only reading.*;error -32603: in plan mode only/,
  );
});

test("a question about a call that already runs becomes a nested question of that call [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("ask-late a.txt text");
  const question = await stage.question();
  await stage.answer(question);
  await stage.end(taskId);

  const asked = stage.ledger.events.find(
    (event) => event.kind === "TOOL_CALL_UPDATE" && event.parentCallId !== undefined,
  );
  expect(asked).toMatchObject({ toolCall: { toolCallId: question.toolCallId } });
  expect(stage.text()).toBe("answered yes;");
});

test("cancelling a turn also cancels the agent's turn and its open question [ACP-03]", async () => {
  await using stage = await openExternalStage();

  const { taskId } = await stage.send("ask execute ls");
  await stage.question();
  await stage.cancel(taskId);
  const end = await stage.end(taskId);
  const next = await stage.run("say still here");

  expect(end.state).toBe("canceled");
  expect(stage.calls()["execute ls"]?.at(-1)).toBe("CANCELLED");
  expect([next.state, stage.text()]).toEqual(["completed", "answered cancelled;still here"]);
});

test("the agent's commands, models and modes are offered as commands of the session [ACP-03]", async () => {
  await using stage = await openExternalStage();
  await stage.run("mode free");

  const commands = await stage.agent().listCommands({ user: "a", name: "a", role: "admin" });
  const chosen = await stage.command("model", "large");
  await stage.end(chosen.ticket?.taskId ?? "");
  const end = await stage.run("say x");

  expect(commands.map(({ name }) => name)).toEqual(["model", "agent-mode", "orders"]);
  expect(end.model).toBe("large");
  expect(stage.ledger.events).toContainEqual(
    expect.objectContaining({
      kind: "CONSOLE_LOG",
      log: { type: "info", content: "the agent's own mode is now free" },
    }),
  );
});

test("the agent's process gets its own variables and no other secret [SEC-05]", async () => {
  await using stage = await openExternalStage({ keepVariables: ["AGENT_KEY"] });

  await stage.run("environment");

  expect(stage.text()).toContain("AGENT_KEY");
  expect(stage.text()).not.toContain("OTHER_SECRET");
});
