import type { Caller, ToolCall } from "@dt/schema";
import { expect, test } from "vitest";
import type { Command } from "../commands/command.js";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { Model } from "../model/model.js";
import { EMPTY_SESSION_STATE } from "../record/session-state.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { say } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { createModelEngine, type ModelEngineOptions } from "./create-model-engine.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const namedModel = (name: string): Model => ({
  name,
  async *stream() {
    yield say(`I am ${name}`);
  },
});
const set: Command = {
  name: "model",
  description: "sets the model",
  run: async ({ args }) => ({ type: "done", effect: { type: "set-model", name: args } }),
};

async function openStage(options: Partial<ModelEngineOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const base = { model: namedModel("first"), tools: [], workspace, ledger, commands: () => [set] };
  const open = (journal = ledger.journal) =>
    openDrivenSession({ ...base, ...options, journal: [...journal] });
  let session = await open();
  const ended = async (taskId: string) => {
    for await (const event of ledger.read())
      if (event.taskId === taskId && ["completed", "failed"].includes(event.state))
        return `${event.state} ${event.error ?? ""}`.trim();
    return "the ledger ended";
  };
  return {
    ledger,
    async reopen(next: Partial<ModelEngineOptions>) {
      await session.close();
      session = await openDrivenSession({ ...base, ...next, journal: [...ledger.journal] });
    },
    async set(name: string, taskId: string) {
      await session.runCommand({ messageId: taskId, taskId, path: ["model"], args: name }, alice);
      return await ended(taskId);
    },
    async prompt(taskId: string) {
      const parts = [{ type: "text", text: "go" }] as const;
      await session.prompt({ messageId: taskId, taskId, parts }, alice);
      await ended(taskId);
      return ledger.events.flatMap((event) =>
        event.taskId === taskId && event.kind === "TEXT_CONTENT"
          ? [`${event.model}: ${event.text}`]
          : [],
      );
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

test("a chosen model replies from the next turn on and is created once per opening of the session", async () => {
  const created: string[] = [];
  const createModel = (name: string) => {
    created.push(name);
    return namedModel(name);
  };
  await using stage = await openStage({ createModel });

  expect(await stage.prompt("a")).toEqual(["first: I am first"]);
  expect(await stage.set("second", "b")).toBe("completed");
  expect(await stage.prompt("c")).toEqual(["second: I am second"]);
  expect(created).toEqual(["second"]);
  await stage.reopen({ createModel });
  expect(await stage.prompt("d")).toEqual(["second: I am second"]);
  expect(await stage.set("third", "e")).toBe("completed");
  expect(created).toEqual(["second", "second", "third"]);
  await stage.reopen({});
  expect(await stage.prompt("f")).toEqual(["first: I am first"]);
});

test("choosing a model that cannot be created fails, and the session keeps its model", async () => {
  await using stage = await openStage();

  expect(await stage.set("second", "a")).toBe("failed the model cannot be changed");
  expect(await stage.prompt("b")).toEqual(["first: I am first"]);
  expect(stage.ledger.journal.filter(({ type }) => type === "model-set")).toEqual([]);
});

test("the engine tells which calls are read-only and builds the input of an edited call", async () => {
  await using workspace = await openTempWorkspace();
  const edit = {
    ...scriptedTool({ name: "edit" }),
    revise: (input: object, content: string) => ({ ...input, content }),
  };
  const tools = [edit, scriptedTool({ name: "look", isReadOnly: true })];
  const engine = createModelEngine({ model: namedModel("first"), tools, workspace });
  const call = (toolName: string, inputParameters?: ToolCall["inputParameters"]): ToolCall => ({
    toolCallId: "a",
    toolName,
    status: "PENDING",
    inputParameters,
    result: undefined,
  });

  expect(["edit", "look", "none"].map((name) => engine.isReadOnly(call(name)))).toEqual([
    false,
    true,
    false,
  ]);
  expect(engine.reviseInput(call("edit", { path: "p" }), "x")).toEqual({ path: "p", content: "x" });
  expect(engine.reviseInput(call("edit"), "x")).toEqual({ content: "x" });
  expect(engine.reviseInput(call("look"), "x")).toBeUndefined();
  expect(engine.reviseInput(call("none"), "x")).toBeUndefined();
  expect(engine.modelName(EMPTY_SESSION_STATE)).toBe("first");
  expect(engine.commands.list()).toEqual([]);
});
