import type { Caller } from "@dt/schema";
import { DEFAULT_DIALECT } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { RpcContext } from "../rpc-context.js";
import { findMessageDialect } from "./find-message-dialect.js";

const bob: Caller = { user: "bob", name: "Bob", role: "prompt" };
const ofTask = { params: { message: { taskId: "t" } } };

/** Finds the dialect of a message, on a server whose task "t" was created in the dialect "gemini". */
async function find({
  params = ofTask.params as unknown,
  name = DEFAULT_DIALECT as string,
  developmentTool = false,
  isAllowed = true,
} = {}) {
  const own = { name };
  const context = {
    caller: bob,
    dialect: own,
    activation: { developmentTool },
    dialects: { ofTask: (dialect: string | undefined) => ({ name: `of task: ${dialect}` }) },
    spelling: { version: "1.0" },
    sessions: {
      findTask: async (id: string) =>
        id === "t" ? { dialect: "gemini", owner: "ada" } : undefined,
      roleOn: async () => (isAllowed ? "prompt" : undefined),
    },
  } as unknown as RpcContext;
  const dialect = await findMessageDialect(params, context);
  return (dialect as { readonly name: string }) === own ? "own" : dialect.name;
}

test("a plain message that names a task is in the dialect of the task, if its sender may use the task", async () => {
  expect(await find()).toBe("of task: gemini");
  expect(await find({ isAllowed: false })).toBe("own");
});

test("a message keeps the dialect of its request if it names its dialect or no known task", async () => {
  expect(await find({ name: "notes" })).toBe("own");
  expect(await find({ developmentTool: true })).toBe("own");
  for (const params of [{ message: { taskId: "unknown" } }, { message: {} }, { message: 1 }, null])
    expect(await find({ params })).toBe("own");
  expect(await find({ params: { message: { taskId: 7 } } })).toBe("own");
});
