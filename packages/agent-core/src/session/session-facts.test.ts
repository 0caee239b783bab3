import type { SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { clearCommand } from "../commands/builtin/session/clear.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { openHeldLedger } from "../testing/held-ledger.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { writeTodos } from "../tools/builtin/write-todos.js";
import { ALICE, settle } from "./asking-session.test-support.js";

async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const open = (more: Partial<ModelSessionOptions> = {}) =>
    openDrivenSession({
      model: scriptedModel([]),
      tools: [writeTodos],
      workspace,
      ledger,
      ...options,
      ...more,
    });
  let session = await open();
  let prompts = 0;
  const kinds = (kind: SessionEvent["kind"]) => ledger.events.filter((each) => each.kind === kind);
  return {
    kinds,
    ledger,
    /** Sends a prompt and waits for the end of its turn. */
    async prompt(text: string, taskId = "t") {
      prompts += 1;
      const parts = [{ type: "text", text }] as const;
      await session.prompt({ messageId: `m${prompts}`, taskId, parts }, ALICE);
      await settle();
    },
    async command(path: readonly string[]) {
      prompts += 1;
      const messageId = `m${prompts}`;
      await session.runCommand({ messageId, taskId: messageId, path, args: "" }, ALICE);
      await settle();
    },
    snapshot: () => session.snapshot(),
    async reopen(more: Partial<ModelSessionOptions> = {}) {
      await session.close();
      session = await open({ journal: ledger.journal, ...more });
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const step = (description: string, status = "pending") => ({ description, status });

test("a todo list is announced in the commit that ends the call, and survives a restart", async () => {
  const model = scriptedModel([[callTool("write_todos", { todos: [step("test it")] })], [say("")]]);
  await using stage = await openStage({ model });

  await stage.prompt("go");

  const list = [{ description: "test it", status: "PENDING" }];
  const at = stage.ledger.events.findIndex(({ kind }) => kind === "TODOS");
  expect(stage.ledger.events.slice(at, at + 2)).toMatchObject([
    { kind: "TODOS", todos: list },
    { kind: "TOOL_CALL_UPDATE", toolCall: { toolName: "write_todos", status: "SUCCEEDED" } },
  ]);
  await stage.reopen();
  expect(stage.snapshot().todos).toEqual(list);
});

test("write_todos never asks for permission, even in plan mode", async () => {
  const model = scriptedModel([[callTool("write_todos", { todos: [step("test it")] })]]);
  await using stage = await openStage({ model, mode: "plan" });

  await stage.prompt("go");

  expect(stage.kinds("TODOS")).toHaveLength(1);
});

test("an invalid todo list does not replace the earlier list", async () => {
  const twice = [step("a", "in_progress"), step("b", "in_progress")];
  const model = scriptedModel([
    [callTool("write_todos", { todos: [step("test it")] })],
    [callTool("write_todos", { todos: twice })],
  ]);
  await using stage = await openStage({ model });

  await stage.prompt("go");

  expect(stage.kinds("TODOS")).toHaveLength(1);
  expect(stage.snapshot().todos).toEqual([{ description: "test it", status: "PENDING" }]);
});

test("clearing the conversation removes the todo list", async () => {
  const model = scriptedModel([[callTool("write_todos", { todos: [step("test it")] })]]);
  await using stage = await openStage({ model, commands: () => [clearCommand] });
  await stage.prompt("go");

  await stage.command(["clear"]);
  await stage.command(["clear"]);

  expect(stage.kinds("TODOS").slice(1)).toMatchObject([{ todos: [], taskId: "m2" }]);
  expect(stage.snapshot().todos).toEqual([]);
});

test("the first prompt gives the session its title, which is announced in each new task", async () => {
  await using stage = await openStage({ commands: () => [clearCommand] });

  await stage.command(["clear"]);
  await stage.prompt("fix the parser\nplease");
  await stage.prompt("and the tests");
  await stage.prompt("and the docs", "u");
  await stage.reopen();
  await stage.prompt("and the rest", "v");

  expect(stage.kinds("TITLE")).toMatchObject([
    { title: "fix the parser", taskId: "t" },
    { title: "fix the parser", taskId: "u" },
    { title: "fix the parser", taskId: "v" },
  ]);
});

test("the open task of a live session announces the session's title once", async () => {
  await using stage = await openStage({ openTaskId: "t" });

  await stage.prompt("fix the parser");
  await stage.prompt("and the tests");

  expect(stage.kinds("TITLE")).toMatchObject([{ title: "fix the parser", taskId: "t" }]);
});

test("a warning is announced in the next turn, and only once in a session", async () => {
  await using stage = await openStage({ warnings: ["no key", "no key", "bad file"] });
  expect(stage.kinds("WARNING")).toEqual([]);

  await stage.prompt("go");
  await stage.prompt("go on");
  await stage.reopen({ warnings: ["bad file", "untrusted"] });
  await stage.prompt("go on");

  expect(stage.kinds("WARNING")).toMatchObject([
    { warning: { message: "no key" }, taskId: "t", state: "working" },
    { warning: { message: "bad file" } },
    { warning: { message: "untrusted" } },
  ]);
});
