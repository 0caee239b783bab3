import { DEFAULT_EXTENSION_URIS, emptyTaskView } from "@dt/schema";
import { createDialects, type Dialect, guideDialect, spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { RpcContext } from "../rpc-context.js";
import { tasksGet } from "./task-methods.js";

/** A dialect other than A2A in which task methods such as `tasks/get` are answered. */
const silent: Dialect = {
  ...guideDialect,
  name: "silent",
  traits: { ...guideDialect.traits, answersTaskMethods: true },
};
const family = { name: "silent", recognises: () => false, create: () => () => silent };

function read(createdIn: string | undefined, developmentTool: boolean) {
  const subscribers = { noteRequest() {}, countClients: () => 0 };
  const log = {
    view: async () => emptyTaskView("t", "c"),
    transitions: async () => [],
    subscribers,
  };
  const host = { log, session: { owner: "ada" } };
  const context = {
    caller: { user: "ada", role: "observe" },
    right: "get",
    spelling: spellings["0.3"],
    activation: { uris: DEFAULT_EXTENSION_URIS, developmentTool, session: false },
    dialects: createDialects(DEFAULT_EXTENSION_URIS, [family]),
    sessions: {
      getTask: async () => ({ host, task: { taskId: "t", dialect: createdIn } }),
      roleOn: async () => "observe",
    },
  } as unknown as RpcContext;
  return tasksGet({ id: "t" }, context);
}

const inSilent = { taskId: "t", state: "submitted", content: { text: "" } };
const inA2a = { kind: "task", id: "t" };

test("a task is returned in the dialect that created it, or in A2A if the extension is active", async () => {
  expect([
    await read("silent", false),
    await read("silent", true),
    await read(undefined, false),
  ]).toMatchObject([
    { type: "result", result: inSilent },
    { type: "result", result: inA2a },
    { type: "result", result: inA2a },
  ]);
});
