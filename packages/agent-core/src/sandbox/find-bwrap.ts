import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { SandboxSettings } from "../settings/sandbox/sandbox-settings.js";
import { SettingsError } from "../settings/settings-error.js";
import { cleanEnvironment } from "../workspace/processes/clean-environment.js";
import { findProgram, searchPathOf } from "../workspace/processes/find-program.js";
import type { Workspace } from "../workspace/workspace.js";
import { isolationArguments } from "./bwrap-arguments.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Time that bubblewrap gets to start a program. */
const TIMEOUT_MS = 60_000;

/** Trials of bubblewrap that succeeded or still run, by its path and arguments. */
const tried = new Map<string, Promise<unknown>>();

/**
 * Finds bubblewrap and checks that it can start a program. Throws {@link SettingsError} with the fix if bubblewrap is
 * not installed or does not work on this system.
 */
export async function findBwrap(
  { network }: SandboxSettings,
  environment: Environment,
  workspace?: Workspace,
): Promise<string> {
  if (process.platform !== "linux") {
    throw refusal(`bwrap works only on Linux; set DT_SANDBOX=none, or run dt in a virtual machine`);
  }
  const file = await findProgram("bwrap", searchPathOf(environment), workspace);
  if (file === undefined) {
    throw refusal("bwrap is not installed; install the package bubblewrap, or set DT_SANDBOX=none");
  }
  await tryOnce(file, isolationArguments({ isOnline: network === "on" }), environment);
  return file;
}

async function tryOnce(
  file: string,
  isolation: readonly string[],
  environment: Environment,
): Promise<void> {
  const key = JSON.stringify([file, isolation]);
  const args = [...isolation, "--", "/bin/sh", "-c", ":"];
  const options = { env: cleanEnvironment(environment), timeout: TIMEOUT_MS };
  const trial = tried.get(key) ?? promisify(execFile)(file, args, options);
  tried.set(key, trial);
  try {
    await trial;
  } catch (cause) {
    // A person may change the system while dt-server runs, so a failure is not remembered.
    tried.delete(key);
    const { stderr, message } = cause as Error & { readonly stderr?: string };
    const reason = (stderr || message).trim().split("\n").at(-1);
    throw refusal(
      `bwrap does not work on this system (${reason}); allow user namespaces, or set DT_SANDBOX=none`,
      { cause },
    );
  }
}

function refusal(problem: string, options?: ErrorOptions): SettingsError {
  return new SettingsError([{ file: "DT_SANDBOX", key: "", problem }], options);
}
