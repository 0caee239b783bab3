import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type AgentSettings, ProtocolError } from "@dt/schema";

/** The directories under which workspaces must be. */
export interface WorkspaceRoots {
  readonly directories: readonly string[];
  /** The roots that the server policy allows, if it limits them. Each of `directories` lies under one of them. */
  readonly policy?: readonly string[] | undefined;
}

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
  { directories, policy }: WorkspaceRoots,
): Promise<string> {
  const real = await resolveWorkspace(workspacePath);
  if (await isUnderRoot(real, directories)) return real;
  const isForbidden = policy !== undefined && !(await isUnderRoot(real, policy));
  const problem = isForbidden
    ? "lies outside the directories that the policy of this server allows; the operator can add it to workspaceRoots in the file of DT_POLICY_FILE"
    : "lies outside the directories that this server may work in; the operator can add it to DT_WORKSPACE_ROOTS";
  throw new ProtocolError("workspace-refused", `workspace_path: ${workspacePath} ${problem}`, {
    data: FIELD,
  });
}

async function isUnderRoot(real: string, roots: readonly string[]): Promise<boolean> {
  // A real path contains no links. If it begins with a root, that root contains no links and need not be resolved.
  if (roots.some((root) => path.resolve(root) === root && isWithin(real, root))) return true;
  const realRoots = await Promise.all(roots.map(realDirectory));
  return realRoots.some((root) => root !== undefined && isWithin(real, root));
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
  readonly roots: WorkspaceRoots;
  /** Advice to the client; the end of the error message. */
  readonly advice: string;
}

/** Checks the workspace of the settings. Returns the settings with the real path of the workspace. */
export async function checkSettings(
  settings: AgentSettings,
  roots: WorkspaceRoots,
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
