import { randomUUID } from "node:crypto";
import path from "node:path";
import {
  type AgentSession,
  type MemoryLedger,
  openAgentSession,
  openMemoryLedger,
} from "@dt/agent-core";

/** What a session of this terminal is opened with. */
export interface CliOptions {
  readonly workspacePath: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly model: string | undefined;
  readonly isYolo: boolean;
  readonly onWarning: (warning: string) => void;
}

/** A session of this terminal and the ledger to watch it by. */
export interface Cli extends AsyncDisposable {
  readonly session: AgentSession;
  readonly ledger: MemoryLedger;
}

/** Opens a session on a directory. */
export async function composeCli(options: CliOptions): Promise<Cli> {
  const { workspacePath, home, environment, model, isYolo, onWarning } = options;
  const ledger = openMemoryLedger({ contextId: "terminal" });
  const data = environment.XDG_DATA_HOME || path.join(home, ".local", "share");
  const session = await openAgentSession({
    workspacePath,
    home,
    environment,
    dataDirectory: path.join(data, "dt", "sessions", randomUUID()),
    ledger,
    flags: { ...(model !== undefined && { model }), ...(isYolo && { mode: "yolo" }) },
    onWarning,
  });
  return { session, ledger, [Symbol.asyncDispose]: () => session.close() };
}
