import {
  CommandError,
  createAgentCommandRegistry,
  createModelEngine,
  createOfflineModel,
  createSession,
  openMemoryLedger,
  openWorkspace,
} from "@dt/agent-core";

/** Opens a session with the command `/greet`, runs it, and returns its text or the reason of its failure. */
export async function greet(directory: string, args: string): Promise<string> {
  const ledger = openMemoryLedger();
  // region: snippet
  const registry = createAgentCommandRegistry();
  registry.register({
    name: "greet",
    description: "greets somebody by name",
    async execute({ signal }, [name]) {
      signal.throwIfAborted();
      if (name === undefined) throw new CommandError("say whom to greet");
      return { success: true, output: `Hello ${name}!` };
    },
  });
  const session = await createSession({
    engine: createModelEngine({
      model: createOfflineModel(),
      tools: [],
      workspace: await openWorkspace(directory),
      commands: registry.commands,
    }),
    ledger,
  });
  // endregion
  const you = { user: "you", name: "You", role: "admin" } as const;
  const command = { messageId: "1", taskId: "1", path: ["greet"], args } as const;
  await session.handle({ type: "command", ...command }, you);
  let said = "";
  for await (const event of ledger.read()) {
    if (event.kind === "TEXT_CONTENT") said = event.text;
    if (event.kind !== "STATE_CHANGE") continue;
    if (event.state === "failed") said = event.error ?? "";
    if (["completed", "failed"].includes(event.state)) break;
  }
  await session.close();
  return said;
}
