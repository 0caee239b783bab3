import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openMemoryLedger,
  openWorkspace,
} from "@dt/agent-core";
import { type AgentLedger, createEventBus, observeLedger } from "@dt/schema";
import {
  CODER_AGENT_EVENTS as CoderAgentEvent,
  createCoderAgentBus,
  emitCoderAgentEvents,
} from "@dt/schema/wire";

/** Runs one prompt in a directory. Handlers on an event bus print the agent's text and its tool calls. */
export async function listen(
  directory: string,
  text: string,
  print: (line: string) => void,
): Promise<void> {
  // region: snippet
  const eventBus = createCoderAgentBus();
  eventBus.on(CoderAgentEvent.TEXT_CONTENT, (data) => print(`AI Response: ${data.text}`));
  eventBus.on(CoderAgentEvent.TOOL_CALL_UPDATE, (data) =>
    print(`Tool Call: ${data.toolName} ${data.status}`),
  );
  const onEvent = emitCoderAgentEvents(eventBus);
  const ledger = observeLedger(openMemoryLedger(), { contextId: "session", onEvent });
  // endregion
  await run({ directory, text, ledger });
}

/** Runs one prompt; resolves when its task is completed. */
async function run(options: {
  readonly directory: string;
  readonly text: string;
  readonly ledger: AgentLedger;
}): Promise<void> {
  const bus = createEventBus();
  const completed = new Promise<void>((resolve) => {
    bus.on("STATE_CHANGE", ({ state }) => state === "completed" && resolve());
  });
  const session = await createSession({
    engine: createModelEngine({
      model: createOfflineModel(),
      tools: fileTools,
      workspace: await openWorkspace(options.directory),
    }),
    ledger: observeLedger(options.ledger, { contextId: "session", onEvent: bus.emit }),
  });
  const you = { user: "you", name: "You", role: "admin" } as const;
  const parts = [{ type: "text", text: options.text }] as const;
  await session.handle({ type: "prompt", messageId: "1", taskId: "1", parts }, you);
  await completed;
  await session.close();
}
