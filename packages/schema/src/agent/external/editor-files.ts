import type { StopSignal } from "../face/face-port.js";

/**
 * The files of the editor that drives a session, with the changes that are not saved yet. An agent uses them
 * only after it was decided that it may read or write a file.
 */
export interface EditorFiles {
  /** Reads a whole file by its absolute path. Absent if the editor cannot read. */
  readText?(path: string, signal: StopSignal): Promise<string>;
  /** Writes a whole file by its absolute path. Absent if the editor cannot write. */
  writeText?(path: string, text: string, signal: StopSignal): Promise<void>;
}
