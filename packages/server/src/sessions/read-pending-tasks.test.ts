import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { commitTo } from "../testing/commit-to.js";
import { hasStoredQuestion } from "./read-pending-tasks.js";

const at = "2026-01-01T00:00:00.000Z";
const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };

test.each([
  ["no question if its task waits for the next prompt", false, undefined],
  ["a question if its task waits for an answer", true, [buildQuestion()]],
])("a stored session has %s", async (_, expected, waiting) => {
  const store = openMemoryStore();
  await commitTo(store, [
    {
      contextId: "c",
      session: { contextId: "c", owner: "ada", settings, createdAt: at },
      events: [
        {
          position: 1,
          event: {
            kind: "STATE_CHANGE",
            taskId: "t",
            turn: 1,
            state: "input-required",
            at,
            ...(waiting !== undefined && { waiting }),
          },
        },
      ],
      journal: [],
      isCritical: false,
    },
  ]);

  expect(await hasStoredQuestion("c", store)).toBe(expected);
  expect(await hasStoredQuestion("unknown", store)).toBe(false);
});
