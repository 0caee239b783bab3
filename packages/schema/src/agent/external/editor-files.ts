import type { StopSignal } from "../face/face-port.js";

/**
 * Reads and writes files in the editor that drives a session, so that the agent sees changes that are not
 * saved yet. An agent calls these methods only after the policy or a person has allowed the access.
 */
export interface EditorFiles {
  /** Reads a whole file by its absolute path. Absent if the editor cannot read. */
  readText?(path: string, signal: StopSignal): Promise<string>;
  /** Writes a whole file by its absolute path. Absent if the editor cannot write. */
  writeText?(path: string, text: string, signal: StopSignal): Promise<void>;
}
