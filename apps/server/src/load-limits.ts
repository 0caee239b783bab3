import { realpath } from "node:fs/promises";
import path from "node:path";
import { loadDefaultSettings, loadPolicy, loadSettings, type Settings } from "@dt/agent-core";
import type { ServerPolicy } from "@dt/schema";
import { SetupError } from "@dt/server";
import type { Env } from "./env.js";

/** The policy of a server and the settings of its sessions. */
export interface ServerLimits {
  readonly policy: ServerPolicy;
  /** Directories that both the environment and the policy allow. */
  readonly workspaceRoots: readonly string[];
  /** Settings of a session in a workspace without a configuration. */
  readonly settings: Settings;
}

/**
 * Reads the policy file, the settings file, and the settings of the person who runs the server. Throws
 * `SettingsError` or `SetupError` if a file has a fault.
 */
export async function loadLimits(env: Env): Promise<ServerLimits> {
  const { policyFile, settingsFile, variables: environment, home, defaultWorkspace } = env;
  const policy = policyFile === undefined ? {} : await loadPolicy(policyFile);
  if (settingsFile !== undefined) await loadDefaultSettings(settingsFile, environment);
  const { settings } = await loadSettings({
    environment,
    home,
    workspace: defaultWorkspace,
    isTrusted: false,
    defaultsFile: settingsFile,
    policy,
  });
  return { policy, settings, workspaceRoots: await narrowRoots(policy, env) };
}

async function narrowRoots(
  { workspaceRoots: allowed }: ServerPolicy,
  { workspaceRoots: roots, policyFile, variables }: Env,
): Promise<readonly string[]> {
  if (allowed === undefined) return roots;
  const real = await Promise.all(allowed.map((root) => resolveRoot(root, policyFile ?? "")));
  // If `DT_WORKSPACE_ROOTS` is not set, the roots are only defaults, and the policy replaces them.
  if (!variables.DT_WORKSPACE_ROOTS) return real;
  const chosen = await Promise.all(roots.map((root) => resolveRoot(root, "DT_WORKSPACE_ROOTS")));
  const common = intersectRoots(real, chosen);
  if (common.length > 0) return common;
  throw new SetupError(
    `${policyFile}: workspaceRoots has no directory in common with DT_WORKSPACE_ROOTS; change one of them`,
  );
}

async function resolveRoot(root: string, source: string): Promise<string> {
  return await realpath(root).catch((cause: unknown) => {
    throw new SetupError(`${source}: there is no directory ${root}`, { cause });
  });
}

/**
 * Compares two lists of directories. Returns every directory that equals, or lies below, a directory of the
 * other list. Pure.
 */
export function intersectRoots(
  one: readonly string[],
  other: readonly string[],
): readonly string[] {
  const inner = one.flatMap((a) =>
    other.flatMap((b) => (isWithin(a, b) ? [a] : isWithin(b, a) ? [b] : [])),
  );
  return [...new Set(inner)];
}

function isWithin(directory: string, root: string): boolean {
  const relative = path.relative(root, directory);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
