import { ToolError } from "../../errors/tool-error.js";

/** Isolation of a sandbox: `offline` without network access, `online` with it. */
export type Isolation = "offline" | "online";

/** A program to start. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly directory: string;
}

/** Changes how programs are started, so that they run in a sandbox. */
export interface Sandbox {
  readonly isolation: Isolation;
  /** Name of the sandbox's own processes, such as `bwrap`. They end after the last program in the sandbox. */
  readonly holder: string;
  /** Returns the program that starts the given program in a sandbox. */
  wrap(program: Program): Promise<Program>;
}

/** Describes the isolation for a person, as the end of a sentence that begins "the command runs". */
export function describeIsolation(isolation: Isolation): string {
  return isolation === "offline"
    ? "in a sandbox without network"
    : "in a sandbox that has the network";
}

const STRICTNESS: readonly (Isolation | undefined)[] = [undefined, "online", "offline"];

/**
 * Throws if a program would run with less isolation than the one that was approved, for example because the
 * sandbox was turned off between the question and a restart.
 */
export function checkIsolation(
  approved: Isolation | undefined,
  current: Isolation | undefined,
): void {
  if (STRICTNESS.indexOf(current) >= STRICTNESS.indexOf(approved)) return;
  throw new ToolError(
    "sandbox_changed",
    `this was approved ${describeIsolation(approved ?? "online")}, which is now off, so nothing was run; try again`,
  );
}
