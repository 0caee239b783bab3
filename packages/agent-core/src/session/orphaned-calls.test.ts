import type { Caller, JsonObject } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { JournalRecord } from "../record/journal-record.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { Tool } from "../tools/tool.js";
import { isMarkName } from "../workspace/processes/process-mark.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;

/** Runs a call to its end. Returns its mark and a copy of the journal, both taken while the call ran. */
async function captureRunningCall(isAsking: boolean) {
  await using workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  let seen:
    | { readonly mark: string | undefined; readonly journal: readonly JsonObject[] }
    | undefined;
  const tool = scriptedTool({
    name: "work",
    ...(!isAsking && { actions: () => [] }),
    run(_input, { mark }) {
      seen = { mark, journal: [...ledger.journal] };
      return "done";
    },
  });
  const model = scriptedModel([[callTool("work")]]);
  const session = await openDrivenSession({ model, tools: [tool], workspace, ledger });
  await session.prompt({ messageId: "m", taskId: "t", parts }, alice);
  for await (const event of ledger.read()) {
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    const { toolCallId, status, confirmationRequest } = event.toolCall;
    const selectedOptionId = "proceed_once";
    if (confirmationRequest !== undefined) {
      await session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, alice);
    }
    if (status === "SUCCEEDED") break;
  }
  await session.close();
  if (seen === undefined) throw new Error("the tool did not run");
  return seen;
}

/** Restores a session from a journal; returns the errors of its call and its turn. */
async function restore(journal: readonly JsonObject[], tools: readonly Tool[] = []) {
  await using workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const model = scriptedModel([]);
  const session = await openDrivenSession({ model, tools, workspace, ledger, journal });
  await session.close();
  return ledger.events.flatMap((event) =>
    event.kind === "TOOL_CALL_UPDATE" && event.toolCall.result?.$case === "error"
      ? [event.toolCall.result.value.message]
      : event.kind === "STATE_CHANGE"
        ? [event.error]
        : [],
  );
}

const marksIn = (journal: readonly JsonObject[]) =>
  (journal as readonly JournalRecord[]).flatMap((record) =>
    record.type === "call-changed" && record.mark !== undefined ? [record.mark] : [],
  );

for (const isAsking of [true, false])
  test(`a call is committed with its mark if it starts ${isAsking ? "after an answer" : "without a question"} [LOG-03]`, async () => {
    const { mark, journal } = await captureRunningCall(isAsking);

    expect(marksIn(journal).map(({ name }) => name)).toEqual([mark]);
    expect(isMarkName(mark ?? "")).toBe(true);
    expect(await restore(journal)).toEqual([
      "interrupted by a restart",
      "interrupted by a restart",
    ]);
  });

test("a journal of an earlier version without marks is restored", async () => {
  const { journal } = await captureRunningCall(false);
  const old = journal.map(({ mark: _, ...record }) => record);

  expect(await restore(old)).toEqual(["interrupted by a restart", "interrupted by a restart"]);
});

test("a call that ran on another host is reported as possibly still running", async () => {
  const { journal } = await captureRunningCall(false);
  const moved = journal.map(({ mark, ...record }) =>
    mark === undefined
      ? record
      : { ...record, mark: { ...(mark as JsonObject), host: "build-7", boot: "another" } },
  );

  const message =
    "interrupted by a restart; its process ran on build-7, cannot be found from here, and may still be running";
  expect(await restore(moved)).toEqual([message, message]);
});
