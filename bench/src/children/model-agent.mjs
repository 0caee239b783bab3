import { createModelEngine, createSession, openWorkspace } from "@dt/agent-core";

/** Streams `count` pieces of text, `everyMs` apart. The prompt "200 10" asks for 200 pieces, 10 ms apart. */
export async function* readModel(count, everyMs) {
  for (let index = 1; index <= count; index += 1) {
    if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
    yield { type: "text", text: `piece ${index} of it; ` };
  }
  yield { type: "end", reason: "stop" };
}

const model = {
  name: "paced",
  contextWindow: 1_000_000,
  async *stream({ history }) {
    const prompt = history.at(-1)?.parts?.[0]?.text ?? "1 0";
    const [count, everyMs] = prompt.split(" ").map(Number);
    yield* readModel(count, everyMs);
  },
};

/** Opens a session of the real agent with a model that streams like {@link readModel}. */
export async function openModelAgent({ settings, ledger, journal }) {
  return await createSession({
    engine: createModelEngine({
      model,
      tools: [],
      workspace: await openWorkspace(settings.workspacePath),
    }),
    ledger,
    journal,
    onFault: (reason) => process.stderr.write(`${reason?.stack ?? reason}\n`),
  });
}
