import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openMemoryLedger,
  openWorkspace,
} from "@dt/agent-core";

/** Runs one prompt in a directory and prints the agent's text. */
export async function embed(
  directory: string,
  text: string,
  print: (text: string) => void,
): Promise<void> {
  // region: snippet
  const ledger = openMemoryLedger();
  const session = await createSession({
    engine: createModelEngine({
      model: createOfflineModel(),
      tools: fileTools,
      workspace: await openWorkspace(directory),
    }),
    ledger,
  });
  const you = { user: "you", name: "You", role: "admin" } as const;
  const prompt = { messageId: "1", taskId: "1", parts: [{ type: "text", text }] } as const;
  await session.handle({ type: "prompt", ...prompt }, you);
  for await (const event of ledger.read()) {
    if (event.kind === "TEXT_CONTENT") print(event.text);
    if (event.kind === "STATE_CHANGE" && event.state === "completed") break;
  }
  await session.close();
  // endregion
}
