import { type Caller, ProtocolError, type SessionReply, type SessionRequest } from "@dt/schema";
import { expect, test } from "vitest";
import { createTurnGate } from "../../access/limits/turn-gate.js";
import { currentLogContext, withLogContext } from "../../logging/log-context.js";
import type { TaskRecord } from "../../store/session-store.js";
import { limitTurns } from "./limit-turns.js";

const caller: Caller = { user: "bob", name: "bob", role: "admin" };
const ticket: SessionReply = { type: "ticket" };
const refused: SessionReply = { type: "refused", code: "agent-busy", message: "no" };
const prompt = (taskId: string): SessionRequest => ({
  type: "prompt",
  messageId: "m",
  taskId,
  parts: [],
});

/** Limits the turns of alice's session, whose task `known` is stored. A test sets the agent's replies. */
function openStage({ maxTurns = 1, isFull = false } = {}) {
  const log = { isBusy: false, lastPosition: 0 };
  const gate = createTurnGate({
    maxTurns,
    maxTurnsPerOwner: 9,
    maxWaitingPrompts: 9,
    maxWaitMs: 60_000,
  });
  const steps: string[] = [];
  const contexts: object[] = [];
  const session = {
    contextId: "c",
    owner: "alice",
    createdAt: "",
    settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
  };
  const limit = limitTurns(
    { session, log },
    {
      gate,
      quota: {
        async check(owner) {
          steps.push(`check ${owner}`);
          if (isFull) throw new ProtocolError("agent-busy", "too many tasks");
        },
        add: (owner) => void steps.push(`add ${owner}`),
        reset() {},
      },
      store: {
        findTask: async (taskId) => (taskId === "known" ? ({} as TaskRecord) : undefined),
      },
      discard: async (contextId) => void steps.push(`discard ${contextId}`),
    },
  );
  const send = (request: SessionRequest, reply: () => Promise<SessionReply>) =>
    limit(() => {
      contexts.push(currentLogContext());
      return reply();
    })(request, caller);
  return { log, gate, steps, contexts, send };
}

test("a new task is added to the quota of the session's owner when the task is accepted", async () => {
  const stage = openStage({ maxTurns: 9 });
  stage.log.lastPosition = 1;

  const replies = [
    await stage.send(prompt("new"), async () => ticket),
    await stage.send(prompt("new"), async () => refused),
    await stage.send(prompt("known"), async () => ticket),
    await stage.send({ type: "cancel", taskId: "new" }, async () => ticket),
  ];

  expect(replies).toEqual([ticket, refused, ticket, ticket]);
  expect(stage.steps).toEqual(["check alice", "add alice", "check alice"]);
  expect(stage.contexts).toEqual([
    { contextId: "c", taskId: "new" },
    { contextId: "c", taskId: "new" },
    { contextId: "c", taskId: "known" },
    {},
  ]);
});

test("a message that joins a turn of another task is not counted as a new task", async () => {
  const stage = openStage({ maxTurns: 9 });
  stage.log.lastPosition = 1;
  const joined = { taskId: "known", turn: 1, afterPosition: 3 };

  const steering = { type: "steer", messageId: "m", taskId: "new", parts: [] } as const;
  await stage.send(steering, async () => ({ type: "ticket", ticket: joined }));

  expect(stage.steps).toEqual(["check alice"]);
});

test("a session without events is discarded if all its requests were refused", async () => {
  const stage = openStage();
  let end: (reply: SessionReply) => void = () => {};
  const first = stage.send(prompt("a"), () => new Promise((resolve) => (end = resolve)));
  await expect.poll(() => stage.contexts.length).toBe(1);

  await stage.send(prompt("b"), async () => refused);
  const during = [...stage.steps];
  end(refused);
  await first;
  stage.log.lastPosition = 1;
  await stage.send(prompt("c"), async () => refused);

  expect(during).toEqual(["check alice", "check alice"]);
  expect(stage.steps.filter((step) => step.startsWith("discard"))).toEqual(["discard c"]);
});

test("a session counts as working until its last request and its turn have ended", async () => {
  const stage = openStage();
  let end: (reply: SessionReply) => void = () => {};
  const first = stage.send(prompt("a"), () => new Promise((resolve) => (end = resolve)));
  await expect.poll(() => stage.contexts.length).toBe(1);

  await stage.send(prompt("b"), async () => refused);
  const during = stage.gate.workingCount;
  stage.log.isBusy = true;
  end(ticket);
  await first;
  const busy = stage.gate.workingCount;
  stage.log.isBusy = false;
  await stage.send(prompt("b"), async () => refused);

  expect([during, busy, stage.gate.workingCount]).toEqual([1, 1, 0]);
});

test("a request beyond a limit gets a refusal as its reply, and other errors are thrown", async () => {
  const full = openStage({ isFull: true });
  const stage = openStage();
  stage.gate.forceEnter("other", "carol");

  expect(await full.send(prompt("new"), async () => ticket)).toEqual({
    type: "refused",
    code: "agent-busy",
    message: "too many tasks",
  });
  const command = { type: "command", messageId: "m", taskId: "c", path: [], args: "" } as const;
  expect(await stage.send(command, async () => ticket)).toMatchObject({
    type: "refused",
    message: expect.stringContaining("a command does not wait"),
  });
  stage.gate.release("other");
  await expect(
    stage.send(prompt("new"), () => Promise.reject(new Error("disk full"))),
  ).rejects.toThrow("disk full");
  expect(stage.gate.workingCount).toBe(0);
});

test("the log lines of a prompt contain the ids of its session and its task", async () => {
  const stage = openStage();

  const context = await withLogContext({}, async () => {
    await stage.send(prompt("new"), async () => ticket);
    return currentLogContext();
  });

  expect(context).toEqual({ contextId: "c", taskId: "new" });
});
