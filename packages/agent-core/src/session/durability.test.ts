import type { LedgerEntry, Principal } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { callTool, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { createSession } from "./create-session.js";

const alice: Principal = { principal: "alice", name: "Alice" };
const parts = [{ type: "text", text: "go" }] as const;

/** A ledger whose appends can be held back, or refused. */
function openHeldLedger() {
  const ledger = openMemoryLedger();
  let gate: Promise<void> = Promise.resolve();
  let open = () => {};
  let refusal: Error | undefined;
  return {
    ...ledger,
    async append(entry: LedgerEntry) {
      await gate;
      if (refusal !== undefined) throw refusal;
      return await ledger.append(entry);
    },
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
    refuse(reason: Error) {
      refusal = reason;
    },
  };
}

test("a tool does not run before its approval is durable, even when another call of the step is still being looked at [LOG-03]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  let look = () => {};
  const looked = new Promise<void>((resolve) => {
    look = resolve;
  });
  const quick = scriptedTool({ name: "quick" });
  const slow = { ...scriptedTool({ name: "slow" }) };
  const plan = slow.plan;
  slow.plan = async (...args) => {
    await looked;
    return await plan(...args);
  };
  const session = await createSession({
    model: scriptedModel([[callTool("quick"), callTool("slow")]]),
    tools: [quick, slow],
    workspace,
    ledger,
  });
  await session.prompt({ messageId: "m", taskId: "t", parts }, alice);
  let toolCallId = "";
  for await (const event of ledger.read()) {
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    toolCallId = event.toolCall.toolCallId;
    break;
  }

  ledger.hold();
  const answered = session.answer(
    { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
    alice,
  );
  look();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const ranBefore = [...quick.ran];
  ledger.release();
  await answered;
  for await (const event of ledger.read()) {
    if (event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "SUCCEEDED") break;
  }
  await session.close();

  expect(ranBefore).toEqual([]);
  expect(quick.ran).toEqual([toolCallId]);
});

test("a session whose ledger refuses a commit says so once and takes nothing more [LOG-01]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const faults: unknown[] = [];
  const session = await createSession({
    model: scriptedModel([]),
    tools: [],
    workspace,
    ledger,
    onFault: (reason) => faults.push(reason),
  });
  ledger.refuse(new Error("the disk is full"));

  await expect(session.prompt({ messageId: "1", taskId: "t", parts }, alice)).rejects.toThrow(
    "the disk is full",
  );
  await expect(session.prompt({ messageId: "2", taskId: "t", parts }, alice)).rejects.toThrow(
    "the disk is full",
  );

  expect(ledger.events).toEqual([]);
});

test("a turn that is cancelled while its beginning is on its way to the disk is cancelled", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const session = await createSession({
    model: scriptedModel([[callTool("touch")]]),
    tools: [scriptedTool({ name: "touch" })],
    workspace,
    ledger,
  });
  ledger.hold();
  const prompted = session.prompt({ messageId: "1", taskId: "t", parts }, alice);
  const cancelled = session.cancel("t");
  ledger.release();

  expect(await cancelled).toBe(true);
  await prompted;
  await session.close();

  expect(ledger.events.at(-1)).toMatchObject({ kind: "STATE_CHANGE", state: "canceled" });
});
