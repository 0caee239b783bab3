import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type AgentSettings, ProtocolError } from "@dt/schema";

/**
 * Checks the workspace that a client asks for; resolves with its real path. It must be absolute, and a directory
 * under one of the roots after links are resolved.
 */
export async function checkWorkspace(
  workspacePath: string,
  roots: readonly string[],
): Promise<string> {
  const data = { path: "workspace_path" };
  if (!path.isAbsolute(workspacePath)) {
    throw new ProtocolError(
      "invalid-message",
      `workspace_path: expected an absolute path, got ${workspacePath}`,
      { data },
    );
  }
  // In parallel, because each path is read from the disk.
  const [real, ...realRoots] = await Promise.all([workspacePath, ...roots].map(realDirectory));
  if (real === undefined) {
    throw new ProtocolError(
      "invalid-message",
      `workspace_path: there is no directory ${workspacePath}`,
      { data },
    );
  }
  if (realRoots.some((root) => root !== undefined && isBelow(real, root))) return real;
  throw new ProtocolError(
    "workspace-refused",
    `workspace_path: ${workspacePath} lies outside the directories that this server may work in; its operator can add it to DT_WORKSPACE_ROOTS`,
    { data },
  );
}

/** Checks the workspace of settings; resolves with the settings and its real path. */
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
    // Missing, unreadable, or a loop of links.
    return undefined;
  }
}

function isBelow(directory: string, root: string): boolean {
  const relative = path.relative(root, directory);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
