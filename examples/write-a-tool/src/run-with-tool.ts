import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openMemoryLedger,
  openWorkspace,
} from "@dt/agent-core";
import { countWords } from "./count-words.js";

/** Runs one prompt with the tool, and returns the results of all calls. */
export async function runWithTool(directory: string, text: string): Promise<string[]> {
  // region: snippet
  const ledger = openMemoryLedger();
  const session = await createSession({
    engine: createModelEngine({
      model: createOfflineModel(),
      tools: [...fileTools, countWords],
      workspace: await openWorkspace(directory),
    }),
    ledger,
  });
  const you = { user: "you", name: "You", role: "admin" } as const;
  const prompt = { messageId: "1", taskId: "1", parts: [{ type: "text", text }] } as const;
  await session.handle({ type: "prompt", ...prompt }, you);
  // endregion
  const results: string[] = [];
  for await (const event of ledger.read()) {
    if (event.kind === "TOOL_CALL_UPDATE") {
      const { result } = event.toolCall;
      if (result?.$case === "output" && result.value.result?.$case === "text") {
        results.push(result.value.result.value);
      }
      if (result?.$case === "error") results.push(result.value.message);
    }
    if (event.kind === "STATE_CHANGE" && event.state === "completed") break;
  }
  await session.close();
  return results;
}
