import { getEventListeners } from "node:events";
import type { Caller } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const ada: Caller = { user: "ada", name: "Ada", credential: "ada's", role: "approve" };

test("no listener remains on a turn's signals after the turn has ended [SEC-09]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const signals = new Set<AbortSignal>();
  const tool = scriptedTool({
    name: "look",
    run: async (_, run) => {
      signals.add(run.signal);
      const answer = await run.ask({
        toolName: "inner",
        input: {},
        description: "inner",
        details: undefined,
      });
      return String(answer.isGranted);
    },
  });
  const model = scriptedModel([
    ({ signal }) => {
      signals.add(signal);
      return [callTool("look")];
    },
    [say("done")],
  ]);
  const session = await openDrivenSession({
    model,
    tools: [tool],
    workspace,
    ledger,
    mode: "yolo",
  });

  await session.prompt({ messageId: "m", taskId: "t", parts: [{ type: "text", text: "go" }] }, ada);
  for await (const event of ledger.read()) if (event.state === "completed") break;

  expect(signals.size).toBe(1);
  for (const signal of signals) expect(getEventListeners(signal, "abort")).toEqual([]);
  await session.close();
});
