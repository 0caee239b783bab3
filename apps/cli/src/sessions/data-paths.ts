import path from "node:path";
import type { CliEnvironment } from "../variables.js";

/** Paths of the files of dt. */
export interface DataPaths {
  /** Parent directory of the other paths. */
  readonly root: string;
  /** Database with the log and the journal of every session. */
  readonly database: string;
  /** Directory with one folder per session, for its outputs and checkpoints. */
  readonly sessions: string;
  /** File with earlier prompts. */
  readonly promptHistory: string;
  /** Directory for the logs of `--debug`. */
  readonly logs: string;
}

/** Returns the paths below `DT_DATA_DIR`, else `$XDG_DATA_HOME/dt`, else `~/.local/share/dt`. */
export function dataPaths(environment: CliEnvironment, home: string): DataPaths {
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
