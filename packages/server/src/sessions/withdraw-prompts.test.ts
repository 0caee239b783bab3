import type { Caller, QueuedPrompt } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { commitTo } from "../testing/commit-to.js";
import { first, session, taskAt } from "../testing/store-checks.js";
import type { SessionHost } from "./session-host.js";
import { toOwner, withdrawPrompts } from "./withdraw-prompts.js";

/** Opens a session whose tasks have these queues. */
function openHost(queues: Readonly<Record<string, readonly Partial<QueuedPrompt>[]>>) {
  const withdrawn: [string, Caller][] = [];
  const viewed: string[] = [];
  const host = {
    session,
    log: {
      async view(taskId: string) {
        viewed.push(taskId);
        return { queue: queues[taskId] ?? [] };
      },
    },
    agent: {
      withdraw: async (messageId: string, caller: Caller) =>
        void withdrawn.push([messageId, caller]),
    },
  } as unknown as SessionHost;
  return { host, withdrawn, viewed };
}

const by = (principal: string) => ({ principal, name: principal });
const OWNER = { user: "alice", name: "alice", role: "admin" };

test("the waiting prompts of a user are withdrawn as the owner, each once, and no others", async () => {
  const store = openMemoryStore();
  await commitTo(store, [first([1])]);
  const { host, withdrawn } = openHost({
    task: [
      { messageId: "m-1", origin: by("bob") },
      { messageId: "m-2", origin: by("alice") },
      { messageId: "m-3" },
      { messageId: "m-1", origin: by("bob") },
      { messageId: "m-4", origin: by("bob") },
    ],
  });

  await withdrawPrompts("bob", host, store);

  expect(toOwner(session)).toEqual(OWNER);
  expect(withdrawn).toEqual([
    ["m-1", OWNER],
    ["m-4", OWNER],
  ]);
});

test("only tasks of the session are searched, even if its owner has many newer ones elsewhere", async () => {
  const store = openMemoryStore();
  await commitTo(store, [first([1])]);
  for (let second = 10; second < 40; second += 1) await commitTo(store, [taskAt(second)]);
  const { host, withdrawn, viewed } = openHost({ task: [{ messageId: "m", origin: by("bob") }] });

  await withdrawPrompts("bob", host, store);

  expect(viewed).toEqual(["task"]);
  expect(withdrawn).toEqual([["m", OWNER]]);
});
