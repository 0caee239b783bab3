import {
  builtinTools,
  createOfflineModel,
  createSession,
  type MemoryLedger,
  openMemoryLedger,
  openWorkspace,
  type Session,
} from "@dt/agent-core";

/** A session of this terminal and the ledger to watch it by. */
export interface Cli extends AsyncDisposable {
  readonly session: Session;
  readonly ledger: MemoryLedger;
}

/** Opens a session on a directory. */
export async function composeCli(options: {
  readonly workspacePath: string;
  readonly isYolo: boolean;
}): Promise<Cli> {
  const ledger = openMemoryLedger({ contextId: "terminal" });
  const session = await createSession({
    model: createOfflineModel(),
    tools: builtinTools,
    workspace: await openWorkspace(options.workspacePath),
    ledger,
    mode: options.isYolo ? "yolo" : "default",
  });
  return { session, ledger, [Symbol.asyncDispose]: () => session.close() };
}
