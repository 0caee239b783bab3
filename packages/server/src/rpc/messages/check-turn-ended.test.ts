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
    () => "normally",
    (reason: { code: string; data: unknown }) => {
      expect(reason.data).toEqual({ retryAfterMs: 1_000, taskId: "t" });
      return reason.code;
    },
  );
}

test.each<[TaskState, readonly string[], string]>([
  ["submitted", [], "agent-busy"],
  ["working", [], "agent-busy"],
  ["input-required", [], "normally"],
  ["input-required", ["others"], "normally"],
  ["input-required", ["others", "mine"], "agent-busy"],
  ["completed", [], "normally"],
  ["failed", [], "normally"],
  ["canceled", ["mine"], "agent-busy"],
])(
  "if the task is %s and the queue has the messages %j, a stopping server answers %s",
  async (state, queued, outcome) => {
    expect(await outcomeOf(state, queued)).toBe(outcome);
  },
);

test("a server that is not stopping answers normally, even before the turn has ended", async () => {
  expect(await outcomeOf("working", ["mine"], false)).toBe("normally");
});
