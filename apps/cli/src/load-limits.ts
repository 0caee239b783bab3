import path from "node:path";
import { loadDefaultSettings, loadPolicy } from "@dt/agent-core";
import type { ServerPolicy } from "@dt/schema";
import type { UserEnvironment } from "./sessions/stored-sessions.js";

/** The policy of a session and the file with its defaults. */
export interface FaceLimits {
  readonly policy: ServerPolicy;
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
  const { DT_POLICY_FILE: policyFile, DT_SETTINGS_FILE: settingsFile } = environment;
  const policy = policyFile ? await loadPolicy(path.resolve(startDirectory, policyFile)) : {};
  if (!settingsFile) return { policy, defaultsFile: undefined };
  const defaultsFile = path.resolve(startDirectory, settingsFile);
  await loadDefaultSettings(defaultsFile, environment);
  return { policy, defaultsFile };
}
