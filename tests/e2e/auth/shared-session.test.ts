import { type AgentClient, isQuestion, type SessionEvent, type TaskHandle } from "@dt/client";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "../support/open-stage.js";

/** Opens a server that requires tokens. Ada connects by server-sent events, and Bob by a WebSocket. */
async function openTwoUsers() {
  const stage = await openStage({ server: { isAuthRequired: true } });
  const [adaToken, bobToken] = await Promise.all([stage.token("ada"), stage.token("bob")]);
  return {
    ...stage,
    ada: await stage.connect({ transport: "sse", token: adaToken }),
    bob: await stage.connect({ transport: "websocket", WebSocket, token: bobToken }),
    [Symbol.asyncDispose]: stage[Symbol.asyncDispose],
  };
}

/** Waits until Bob may use a session, and opens it. */
async function join(bob: AgentClient) {
  const [session] = await bob.sharing.list();
  return await bob.openSession(session?.contextId ?? "");
}

/** Waits for the first question of a session. */
async function findQuestion(task: TaskHandle) {
  for await (const event of task.events({ after: "0" }))
    if (isQuestion(event)) return event.toolCall;
  throw new Error("there is no question");
}

/** Returns a line for a prompt, an answer or a change of access, with its user; no line for other events. */
function describe(event: SessionEvent): readonly string[] {
  if (event.kind === "USER_PROMPT") return [`${event.origin.principal} prompts`];
  if (event.kind === "ACCESS")
    return [`${event.access.origin?.principal} ${event.access.action} ${event.access.user}`];
  if (event.kind === "TOOL_CALL_UPDATE" && event.answer !== undefined)
    return [`${event.answer.origin?.principal} answers`];
  return [];
}

test("two users prompt and approve in one session, and both see the sender of each prompt and answer [TEAM-01]", async () => {
  await using stage = await openTwoUsers();
  const { ada, bob, workspace } = stage;
  const adas = await ada.startTask({ workspacePath: workspace.root, prompt: "write a.txt: one" });
  await ada.sharing.share(adas.contextId, { user: "bob", role: "approve" });
  const bobs = await join(bob);
  const seen: string[] = [];
  const read = (async () => {
    for await (const event of adas.events({ after: "0" })) {
      seen.push(...describe(event));
      if (seen.filter((line) => line.endsWith("answers")).length === 2) return;
    }
  })();

  const question = await findQuestion(bobs);
  const byBob = await bobs.answer(question, "proceed_once");
  const byAda = await adas.answer(question, "cancel");
  await bobs.prompt("write b.txt: two");
  for await (const event of bobs.events()) {
    if (isQuestion(event)) await adas.answer(event.toolCall, "proceed_once");
  }
  await read;

  expect(byBob).toEqual({ accepted: true });
  expect(byAda).toMatchObject({
    accepted: false,
    answeredBy: { principal: "bob" },
    selectedOptionId: "proceed_once",
  });
  expect(seen).toEqual([
    "ada prompts",
    "ada GRANTED bob",
    "bob answers",
    "bob prompts",
    "ada answers",
  ]);
  expect([await workspace.read("a.txt"), await workspace.read("b.txt")]).toEqual(["one", "two"]);
  const { clients, owner } = await bob.sharing.access(adas.contextId);
  expect(owner).toBe("ada");
  expect(clients.map(({ principal }) => principal).sort()).toContain("bob");
});

test("a stream ends with the reason when its user loses access, and the owner can go on [TEAM-01]", async () => {
  await using stage = await openTwoUsers();
  const { ada, bob, workspace } = stage;
  const adas = await ada.startTask({ workspacePath: workspace.root, prompt: "write a.txt: one" });
  const { link = "" } = await ada.sharing.share(adas.contextId, { role: "prompt" });
  const { contextId } = await bob.sharing.join(link);
  const bobs = await bob.openSession(contextId);
  const question = await findQuestion(bobs);
  const failed = (async () => {
    for await (const event of bobs.events())
      if (event.kind === "ACCESS" && event.access.user === "eve")
        await ada.sharing.unshare(contextId, { user: "bob" });
  })();
  const lost = expect(failed).rejects.toThrow("your access to this session has ended");

  await ada.sharing.share(adas.contextId, { user: "eve", role: "observe" });
  await lost;

  await expect(bobs.prompt("hi")).rejects.toThrow("your access to this session has ended");
  expect(await bob.sharing.list()).toEqual([]);
  await adas.answer(question, "proceed_once");
  for await (const _ of adas.events());
  expect(await workspace.read("a.txt")).toBe("one");
});

test("the waiting prompts of a user who loses access are withdrawn", async () => {
  await using stage = await openTwoUsers();
  const { ada, bob, workspace } = stage;
  const adas = await ada.startTask({ workspacePath: workspace.root, prompt: "write a.txt: one" });
  await ada.sharing.share(adas.contextId, { user: "bob", role: "prompt" });
  const bobs = await join(bob);
  const question = await findQuestion(bobs);
  await bobs.prompt("write b.txt: two");
  const stop = adas.subscribe(() => {});
  await expect.poll(() => adas.view().queue.length, { timeout: 30_000 }).toBe(1);

  await ada.sharing.unshare(adas.contextId, { user: "bob" });
  await expect.poll(() => adas.view().queue, { timeout: 30_000 }).toEqual([]);
  stop();
  await adas.answer(question, "proceed_once");
  for await (const _ of adas.events());

  expect(await workspace.read("a.txt")).toBe("one");
  await expect(workspace.read("b.txt")).rejects.toThrow();
});
