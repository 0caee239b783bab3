import type { Caller, LedgerEntry, SessionEvent, SessionRequest } from "@dt/schema";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { openHeldLedger } from "../testing/held-ledger.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

export const ALICE: Caller = { user: "alice", name: "Alice", role: "approve", credential: "c" };
export const BOB: Caller = { user: "bob", name: "Bob", role: "approve" };
export const PARTS = [{ type: "text", text: "go" }] as const;
export const ask = scriptedTool({ name: "ask" });
const look = scriptedTool({ name: "look", isReadOnly: true, actions: () => [] });

/** Opens a session whose first turn asks a question, and collects the ledger entries of the session. */
export async function openAskingSession(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const held = openHeldLedger();
  const entries: LedgerEntry[] = [];
  const ledger = {
    ...held,
    append(entry: LedgerEntry) {
      entries.push(entry);
      return held.append(entry);
    },
  };
  let calls = 0;
  const session = await openDrivenSession({
    model: scriptedModel([[callTool("ask")], [say("done")]]),
    tools: [ask, look],
    workspace,
    ledger,
    createId: () => `call-${++calls}`,
    ...options,
  });
  return {
    ledger,
    entries,
    session,
    prompt: (messageId: string, taskId = "t", caller = ALICE, steer = false) =>
      session.prompt({ messageId, taskId, parts: PARTS }, caller, { steer }),
    request: (request: SessionRequest, caller = ALICE) => session.handle(request, caller),
    answer: (toolCallId: string, selectedOptionId: string, more = {}) =>
      session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, BOB, more),
    async until(state: string, taskId = "t"): Promise<SessionEvent> {
      for await (const event of ledger.read())
        if (event.kind === "STATE_CHANGE" && event.state === state && event.taskId === taskId)
          return event;
      throw new Error("the ledger ended");
    },
    log: () => held.events.map(brief),
    async [Symbol.asyncDispose]() {
      held.release();
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Describes an event in a few words. */
export function brief(event: SessionEvent): string {
  const { taskId, state } = event;
  if (event.kind === "QUEUE") return `${taskId} [${event.prompts.map((p) => p.messageId)}]`;
  if (event.kind === "STATE_CHANGE") return `${taskId} ${state}`;
  if (event.kind !== "TOOL_CALL_UPDATE") return `${taskId} ${event.kind}`;
  return `${event.toolCall.toolName} ${event.toolCall.status}`;
}

/** Lets all pending microtasks and immediates run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}
