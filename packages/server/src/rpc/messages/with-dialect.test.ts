import type { Caller } from "@dt/schema";
import { DEFAULT_EXTENSION_URIS } from "@dt/schema";
import { createDialects, type Dialect, guideDialect } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { openSessionRegistry } from "../../sessions/session-registry.js";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { createScriptedAgent } from "../../testing/fake-agent.js";
import { withDialect } from "./with-dialect.js";

const ada: Caller = { user: "ada", name: "Ada", role: "admin" };
const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
const a2a = createDialects(DEFAULT_EXTENSION_URIS).ofTask(undefined, {
  version: "1.0",
  developmentTool: true,
  session: true,
});

async function openStage() {
  const store = openMemoryStore();
  const sessions = openSessionRegistry({ openAgent: createScriptedAgent(), store });
  const host = await sessions.createSession({ contextId: "c", settings }, ada);
  const prompt = async (messageId: string, taskId: string, dialect: Dialect) =>
    await withDialect({ log: host.log, taskId, dialect }, () =>
      host.agent.prompt({ messageId, taskId, parts: [{ type: "text", text: "hi" }] }, ada),
    );
  const dialectOf = async (taskId: string) => (await store.findTask(taskId))?.dialect;
  return { host, prompt, dialectOf, [Symbol.asyncDispose]: () => sessions.close() };
}

test("a task is stored with the dialect of the request that created it", async () => {
  await using stage = await openStage();

  await stage.prompt("one", "by-guide", guideDialect);
  await stage.prompt("two", "by-a2a", a2a);
  await stage.prompt("three", "by-guide", a2a);

  expect(await stage.dialectOf("by-guide")).toBe("guide");
  expect(await stage.dialectOf("by-a2a")).toBeUndefined();
});

test("a failed request does not set the dialect of its task", async () => {
  await using stage = await openStage();
  const { log } = stage.host;
  const refused = () => Promise.reject(new Error("refused"));

  const failing = withDialect({ log, taskId: "task", dialect: guideDialect }, refused);

  await expect(failing).rejects.toThrow("refused");
  await stage.prompt("one", "task", a2a);
  expect(await stage.dialectOf("task")).toBeUndefined();
});
