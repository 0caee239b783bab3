import { type Caller, isTerminalState, type LedgerEntry } from "@dt/schema";
import { expect, test } from "vitest";
import { openDrivenSession } from "../testing/drive-session.js";
import { type HeldLedger, openHeldLedger } from "../testing/held-ledger.js";
import { callTool, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;

/** Returns the ids of the calls that an entry starts. */
const startedBy = ({ events }: LedgerEntry) =>
  events.flatMap((event) =>
    event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING"
      ? [event.toolCall.toolCallId]
      : [],
  );
const starts = (entry: LedgerEntry) => startedBy(entry).length > 0;

/** Lets all pending microtasks and immediates run. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < 20; tick += 1) await new Promise(setImmediate);
}

async function untilEnded(ledger: HeldLedger): Promise<void> {
  for await (const event of ledger.read()) {
    if (event.kind === "STATE_CHANGE" && isTerminalState(event.state)) return;
  }
}

async function questionOf(ledger: HeldLedger, toolName: string): Promise<string> {
  for await (const event of ledger.read()) {
    if (event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolName === toolName) {
      return event.toolCall.toolCallId;
    }
  }
  throw new Error("the ledger ended");
}

const asks = { name: "asks" };
const writes = { name: "writes", actions: () => [] };
const reads = { name: "reads", isReadOnly: true, actions: () => [] };

for (const options of [writes, reads])
  test(`the EXECUTING event of an allowed call is durable before the call ${options.name} [LOG-03]`, async () => {
    await using workspace = await openTempWorkspace();
    const ledger = openHeldLedger();
    const tool = scriptedTool(options);
    const model = scriptedModel([[callTool(tool.name)]]);
    const session = await openDrivenSession({ model, tools: [tool], workspace, ledger });
    ledger.hold(starts);
    await session.prompt({ messageId: "m", taskId: "t", parts }, alice);

    const entry = await ledger.nextHeld();
    await settle();
    const ranBefore = [...tool.ran];
    ledger.release();
    await untilEnded(ledger);
    await session.close();

    expect(entry.isCritical).toBe(true);
    expect(ranBefore).toEqual([]);
    expect(tool.ran).toEqual(startedBy(entry));
  });

test("each of several parallel calls starts after its own EXECUTING event is durable [LOG-03]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const tool = scriptedTool(reads);
  const model = scriptedModel([[callTool("reads"), callTool("reads"), callTool("reads")]]);
  const session = await openDrivenSession({ model, tools: [tool], workspace, ledger });
  ledger.hold(starts);
  await session.prompt({ messageId: "m", taskId: "t", parts }, alice);

  const ran: number[] = [];
  const critical: (boolean | undefined)[] = [];
  for (let released = 0; released < 3; released += 1) {
    critical.push((await ledger.nextHeld()).isCritical);
    await settle();
    ran.push(tool.ran.length);
    ledger.releaseOne();
  }
  await untilEnded(ledger);
  await session.close();

  expect(critical).toEqual([true, true, true]);
  expect(ran).toEqual([0, 1, 2]);
  expect(tool.ran).toHaveLength(3);
});

test("a call whose question was answered starts after one critical commit has stored the answer [LOG-03]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const tool = scriptedTool(asks);
  const model = scriptedModel([[callTool("asks")]]);
  const session = await openDrivenSession({ model, tools: [tool], workspace, ledger });
  await session.prompt({ messageId: "m", taskId: "t", parts }, alice);
  const toolCallId = await questionOf(ledger, "asks");

  ledger.hold(starts);
  const answered = session.answer(
    { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
    alice,
  );
  const entry = await ledger.nextHeld();
  await settle();
  const ranBefore = [...tool.ran];
  ledger.release();
  await answered;
  await untilEnded(ledger);
  await session.close();

  expect(entry).toMatchObject({ isCritical: true, events: [{ answer: { toolCallId } }] });
  expect(ranBefore).toEqual([]);
  expect(tool.ran).toEqual([toolCallId]);
});

test("a call waits until its answer is committed, even if another question is still being written [LOG-03]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const quick = scriptedTool({ name: "quick" });
  const slow = scriptedTool({ name: "slow" });
  const model = scriptedModel([[callTool("quick"), callTool("slow")]]);
  const session = await openDrivenSession({ model, tools: [quick, slow], workspace, ledger });
  const isOfSlow = ({ events }: LedgerEntry) =>
    events.some((event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolName === "slow");
  ledger.hold((entry) => isOfSlow(entry) || starts(entry));
  await session.prompt({ messageId: "m", taskId: "t", parts }, alice);
  const toolCallId = await questionOf(ledger, "quick");
  await ledger.nextHeld();

  // The other call's question is being committed, and the answer waits for that commit.
  const answered = session.answer(
    { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
    alice,
  );
  ledger.releaseOne();
  const entry = await ledger.nextHeld();
  await settle();
  const ranBefore = [...quick.ran];
  ledger.release();
  await answered;
  await settle();
  await session.close();

  expect(startedBy(entry)).toEqual([toolCallId]);
  expect(ranBefore).toEqual([]);
  expect(quick.ran).toEqual([toolCallId]);
});

test("a session refuses every prompt after its ledger has refused a commit [LOG-01]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const faults: unknown[] = [];
  const session = await openDrivenSession({
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
  expect(faults).toEqual([]);
});

test("a ledger failure during a turn is reported once and stops the session [LOG-01]", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const faults: unknown[] = [];
  const reason = new Error("the disk is full");
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const session = await openDrivenSession({
    model: scriptedModel([
      () => {
        ledger.refuse(reason);
        return [callTool("touch")];
      },
    ]),
    tools: [scriptedTool({ name: "touch" })],
    workspace,
    ledger,
    onFault(fault) {
      faults.push(fault);
      stop();
    },
  });
  await session.prompt({ messageId: "1", taskId: "t", parts }, alice);
  await stopped;
  await settle();

  await expect(session.prompt({ messageId: "2", taskId: "t", parts }, alice)).rejects.toBe(reason);
  await expect(session.close()).rejects.toBe(reason);

  expect(faults).toEqual([reason]);
  expect(ledger.events.map(({ kind }) => kind)).toEqual(["USER_PROMPT", "STATE_CHANGE", "TITLE"]);
});

test("a turn can be cancelled while its start is being committed", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const session = await openDrivenSession({
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
