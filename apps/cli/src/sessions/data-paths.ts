import path from "node:path";

/** Where dt keeps what it keeps. */
export interface DataPaths {
  /** The directory of all of it. */
  readonly root: string;
  /** Every session's log and journal. */
  readonly database: string;
  /** A folder for each session: outputs and checkpoints. */
  readonly sessions: string;
  /** What was prompted before. */
  readonly promptHistory: string;
  /** What `--debug` writes. */
  readonly logs: string;
}

/** The files below `DT_DATA_DIR`, else `$XDG_DATA_HOME/dt`, else `~/.local/share/dt`. */
export function dataPaths(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): DataPaths {
  const { DT_DATA_DIR, XDG_DATA_HOME } = environment;
  const root = DT_DATA_DIR || path.join(XDG_DATA_HOME || path.join(home, ".local", "share"), "dt");
  return {
    root,
    database: path.join(root, "dt.db"),
    sessions: path.join(root, "sessions"),
    promptHistory: path.join(root, "prompts.jsonl"),
    logs: path.join(root, "logs"),
  };
}
