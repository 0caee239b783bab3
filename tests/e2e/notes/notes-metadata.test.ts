// "The notes" are the protocol notes, one of the five source documents (docs/documents.md).
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { openNotesStage } from "./notes-stage.js";

test("the metadata of a new task has its state, model and tools [SRV-03, SRV-08]", async () => {
  await using stage = await openNotesStage();
  const { taskId, contextId } = await stage.createTask();

  const { metadata } = await stage.get(`tasks/${taskId}/metadata`);

  expect(metadata).toEqual({
    id: taskId,
    contextId,
    taskState: "submitted",
    model: "offline",
    mcpServers: [],
    availableTools: expect.any(Array),
  });
  expect(metadata.availableTools).toContainEqual({
    name: "write_file",
    description: expect.any(String),
    parameterSchema: expect.objectContaining({
      type: "object",
      required: expect.arrayContaining(["file_path", "content"]),
    }),
  });
});

test("the metadata of a task shows its MCP servers with status and tools [SRV-08]", async () => {
  const program = path.join(import.meta.dirname, "mcp-server.mjs");
  await using stage = await openNotesStage({
    mcpServers: {
      loud: { command: process.execPath, args: [program] },
      broken: { command: process.execPath, args: ["-e", "process.exit(1)"] },
    },
  });
  const [first] = await stage.stream({ userMessage: "say hi" });

  const { metadata } = await stage.get(`tasks/${first?.json.taskId}/metadata`);

  const shout = {
    name: "shout",
    description: "says a text loudly",
    parameterSchema: { type: "object", properties: { text: { type: "string" } } },
  };
  expect(metadata.taskState).toBe("completed");
  expect(metadata.mcpServers[0]).toEqual({ name: "loud", status: "connected", tools: [shout] });
  expect(metadata.mcpServers[1]).toMatchObject({ name: "broken", tools: [] });
  expect(["connecting", "disconnected"]).toContain(metadata.mcpServers[1].status);
  expect(metadata.availableTools).toContainEqual(shout);
});

test("GET /tasks/metadata lists the caller's tasks in pages, the latest first [SRV-03]", async () => {
  await using stage = await openNotesStage();
  const ids: string[] = [];
  for (const text of ["say one", "say two", "write a.txt: hi"])
    ids.unshift((await stage.stream({ userMessage: text }))[0]?.json.taskId);

  const all = await stage.get("tasks/metadata");
  const page = await fetch(stage.at("tasks/metadata?limit=2"));
  const [, next = ""] = /^<(.*)>; rel="next"$/.exec(page.headers.get("Link") ?? "") ?? [];
  const last = await fetch(stage.at(next));

  expect(all.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(all.map(({ taskState }: { taskState: string }) => taskState)).toEqual([
    "input-required",
    "completed",
    "completed",
  ]);
  expect(all[0].availableTools.length).toBeGreaterThan(5);
  expect(await page.json()).toMatchObject([{ id: ids[0] }, { id: ids[1] }]);
  expect(await last.json()).toMatchObject([{ id: ids[2] }]);
  expect(last.headers.get("Link")).toBeNull();
});

test("GET /tasks/metadata of a user without tasks is an empty list [SRV-03]", async () => {
  await using stage = await openNotesStage();

  expect(await stage.get("tasks/metadata")).toEqual([]);
});

test("after a restart, the metadata of one task opens its agent, and GET /tasks/metadata opens none [SRV-03, SRV-08]", async () => {
  await using directory = await openTempWorkspace();
  const openStore = () => openSqliteStore({ file: path.join(directory.root, "sessions.db") });
  await using before = await openNotesStage({ store: openStore() });
  const [first] = await before.stream({ userMessage: "say hi" });
  const { taskId, contextId } = first?.json ?? {};
  await before.server.close();
  await using stage = await openNotesStage({
    store: openStore(),
    workspaceRoots: [before.workspace.root],
  });
  const known = { id: taskId, contextId, taskState: "completed", model: "offline" };

  const listed = await stage.get("tasks/metadata");
  const agents = stage.countAgents();
  const { metadata } = await stage.get(`tasks/${taskId}/metadata`);

  expect(listed).toEqual([{ ...known, mcpServers: [], availableTools: [] }]);
  expect(agents).toBe(0);
  expect(metadata).toMatchObject(known);
  expect(metadata.availableTools.length).toBeGreaterThan(5);
});

test("the metadata of a task whose workspace was deleted still has its state and model [SRV-08]", async () => {
  await using directory = await openTempWorkspace();
  const openStore = () => openSqliteStore({ file: path.join(directory.root, "sessions.db") });
  const before = await openNotesStage({ store: openStore() });
  const [first] = await before.stream({ userMessage: "say hi" });
  await before[Symbol.asyncDispose]();
  await using stage = await openNotesStage({ store: openStore() });

  const { metadata } = await stage.get(`tasks/${first?.json.taskId}/metadata`);

  expect(metadata).toMatchObject({
    taskState: "completed",
    model: "offline",
    mcpServers: [],
    availableTools: [],
  });
});
