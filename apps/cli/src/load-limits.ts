import path from "node:path";
import { loadDefaultSettings, loadPolicy } from "@dt/agent-core";
import type { ServerPolicy } from "@dt/schema";
import { checkWorkspace, SetupError } from "@dt/server";
import type { UserEnvironment } from "./sessions/stored-sessions.js";

/** The server policy for a session, and the file with the session's default settings. */
export interface FaceLimits {
  readonly policy: ServerPolicy;
  /** File of the policy; undefined if there is none. */
  readonly policyFile: string | undefined;
  readonly defaultsFile: string | undefined;
}

/**
 * Reads the files of `DT_POLICY_FILE` and `DT_SETTINGS_FILE`. Relative paths are resolved against the directory
 * in which dt was started. Throws `SettingsError` if a file has a fault.
 */
export async function loadFaceLimits({
  environment,
  startDirectory,
}: UserEnvironment & { readonly startDirectory: string }): Promise<FaceLimits> {
  const { DT_POLICY_FILE: named, DT_SETTINGS_FILE: settingsFile } = environment;
  const policyFile = named ? path.resolve(startDirectory, named) : undefined;
  const policy = policyFile === undefined ? {} : await loadPolicy(policyFile);
  if (!settingsFile) return { policy, policyFile, defaultsFile: undefined };
  const defaultsFile = path.resolve(startDirectory, settingsFile);
  await loadDefaultSettings(defaultsFile, environment);
  return { policy, policyFile, defaultsFile };
}

/** Throws `SetupError` if the policy forbids a workspace. */
export async function checkPolicyRoots(
  workspacePath: string,
  { policy: { workspaceRoots: directories }, policyFile }: FaceLimits,
): Promise<void> {
  if (directories === undefined) return;
  await checkWorkspace(workspacePath, { directories }).catch((cause: unknown) => {
    throw new SetupError(
      `${workspacePath} lies outside ${directories.join(", ")}; change to another directory, or add it to workspaceRoots in ${policyFile}`,
      { cause },
    );
  });
}
