import { loadSettings } from "../settings/load-settings.js";
import { findBwrap } from "./find-bwrap.js";

/** Options of {@link checkSandbox}. */
export interface SandboxCheck {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** File with the defaults of every session. */
  readonly defaultsFile?: string | undefined;
}

/**
 * Checks, before a session is opened, that the sandbox which the settings ask for can be used. Throws
 * {@link SettingsError} with the fix if it cannot.
 */
export async function checkSandbox(options: SandboxCheck): Promise<void> {
  // The settings of a workspace cannot change the sandbox, so the home directory stands for any workspace.
  const source = { ...options, workspace: options.home, isTrusted: false };
  const { settings } = await loadSettings(source);
  if ((settings.sandbox?.program ?? "none") === "none") return;
  await findBwrap(settings.sandbox ?? {}, options.environment);
}
