import {
  builtinTools,
  createModel,
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
  readonly model: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<Cli> {
  const ledger = openMemoryLedger({ contextId: "terminal" });
  const session = await createSession({
    model: createModel({
      environment: options.environment,
      ...(options.model !== undefined && { name: options.model }),
    }),
    tools: builtinTools,
    workspace: await openWorkspace(options.workspacePath),
    ledger,
    mode: options.isYolo ? "yolo" : "default",
  });
  return { session, ledger, [Symbol.asyncDispose]: () => session.close() };
}
