import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type AgentSettings, ProtocolError } from "@dt/schema";

const FIELD = { path: "workspace_path" };

/** Returns the real path of a client's workspace. Throws if the workspace is not the absolute path of a directory. */
async function resolveWorkspace(workspacePath: string): Promise<string> {
  if (!path.isAbsolute(workspacePath)) {
    throw new ProtocolError(
      "invalid-message",
      `workspace_path: expected an absolute path, got ${workspacePath}`,
      { data: FIELD },
    );
  }
  const real = await realDirectory(workspacePath);
  if (real !== undefined) return real;
  throw new ProtocolError(
    "invalid-message",
    `workspace_path: there is no directory ${workspacePath}`,
    { data: FIELD },
  );
}

/**
 * Returns the real path of a client's workspace. Throws if the real path is not a directory under one of the roots.
 */
export async function checkWorkspace(
  workspacePath: string,
  roots: readonly string[],
): Promise<string> {
  const real = await resolveWorkspace(workspacePath);
  // A real path contains no links. If it begins with a root, that root contains no links and need not be resolved.
  if (roots.some((root) => path.resolve(root) === root && isWithin(real, root))) return real;
  const realRoots = await Promise.all(roots.map(realDirectory));
  if (realRoots.some((root) => root !== undefined && isWithin(real, root))) return real;
  throw new ProtocolError(
    "workspace-refused",
    `workspace_path: ${workspacePath} lies outside the directories that this server may work in; the operator can add it to DT_WORKSPACE_ROOTS`,
    { data: FIELD },
  );
}

/**
 * Throws if a workspace is not the session's own, because a session cannot change its workspace. Also throws if the
 * session's workspace is no longer under one of the roots.
 */
export async function checkOwnWorkspace(
  workspacePath: string,
  { own, roots, advice }: OwnWorkspace,
): Promise<void> {
  const isOwn = workspacePath === own || (await resolveWorkspace(workspacePath)) === own;
  // Since the session began, the operator may have removed the root, or a link may have replaced the directory.
  if (isOwn && (await checkWorkspace(own, roots)) === own) return;
  throw new ProtocolError(
    "workspace-refused",
    `workspace_path: this session works only in ${own}; ${advice}`,
    { data: FIELD },
  );
}

/** Options of {@link checkOwnWorkspace}. */
export interface OwnWorkspace {
  /** Real path of the session's workspace. */
  readonly own: string;
  readonly roots: readonly string[];
  /** Advice to the client; the end of the error message. */
  readonly advice: string;
}

/** Checks the workspace of the settings. Returns the settings with the real path of the workspace. */
export async function checkSettings(
  settings: AgentSettings,
  roots: readonly string[],
): Promise<AgentSettings> {
  return { ...settings, workspacePath: await checkWorkspace(settings.workspacePath, roots) };
}

async function realDirectory(directory: string): Promise<string | undefined> {
  try {
    const [real, found] = await Promise.all([realpath(directory), stat(directory)]);
    return found.isDirectory() ? real : undefined;
  } catch {
    // The directory is missing or unreadable, or its path contains a loop of links.
    return undefined;
  }
}

function isWithin(directory: string, root: string): boolean {
  const relative = path.relative(root, directory);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
