import { emptyTaskView, type TaskState } from "@dt/schema";
import { expect, test } from "vitest";
import type { SessionHost } from "../../sessions/session-host.js";
import { checkTurnEnded } from "./check-turn-ended.js";

const origin = { principal: "ada", name: "" };

async function outcomeOf(state: TaskState, queued: readonly string[], isStopping = true) {
  const queue = queued.map((messageId) => ({ messageId, text: "", origin }));
  const view = { ...emptyTaskView("t", "c"), state, queue };
  const host = { log: { view: async () => view } } as unknown as SessionHost;
  const signal = isStopping ? AbortSignal.abort() : new AbortController().signal;
  return await checkTurnEnded({ host, taskId: "t", messageId: "mine" }, { signal }).then(
    () => "rested",
    (reason: { code: string; data: unknown }) => ({ code: reason.code, data: reason.data }),
  );
}

const notDone = { code: "agent-busy", data: { retryAfterMs: 1_000, taskId: "t" } };

test.each<[TaskState, readonly string[], unknown]>([
  ["submitted", [], notDone],
  ["working", [], notDone],
  ["input-required", [], "rested"],
  ["input-required", ["others"], "rested"],
  ["input-required", ["others", "mine"], notDone],
  ["completed", [], "rested"],
  ["failed", [], "rested"],
  ["canceled", ["mine"], notDone],
])("a server that stops while the task is %s with %j queued", async (state, queued, outcome) => {
  expect(await outcomeOf(state, queued)).toEqual(outcome);
});

test("a server that does not stop answers normally", async () => {
  expect(await outcomeOf("working", ["mine"], false)).toBe("rested");
});
