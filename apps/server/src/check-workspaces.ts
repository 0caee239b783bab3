import { stat } from "node:fs/promises";
import { isProtocolError } from "@dt/schema";
import { checkWorkspace, SetupError } from "@dt/server";
import type { Env } from "./env.js";
import type { ServerLimits } from "./load-limits.js";

/**
 * Checks at the start whether the directories that variables name exist, and whether the default workspace is
 * below the roots. Without this check, clients would get the error, but only the operator can change the
 * variables. Throws a {@link SetupError} with the name of the wrong variable.
 */
export async function checkWorkspaces(
  { variables, workspaceRoots: roots, defaultWorkspace, policyFile }: Env,
  { policy, workspaceRoots }: Pick<ServerLimits, "policy" | "workspaceRoots">,
): Promise<void> {
  if (variables.DT_WORKSPACE_ROOTS) {
    for (const root of roots) await checkDirectory("DT_WORKSPACE_ROOTS", root);
  }
  if (!variables.CODER_AGENT_WORKSPACE_PATH) return;
  await checkDirectory("CODER_AGENT_WORKSPACE_PATH", defaultWorkspace);
  try {
    await checkWorkspace(defaultWorkspace, {
      directories: workspaceRoots,
      policy: policy.workspaceRoots,
    });
  } catch (cause) {
    if (!isProtocolError(cause)) throw cause;
    const isLimited = policy.workspaceRoots !== undefined;
    const settings = [
      ...(isLimited && !variables.DT_WORKSPACE_ROOTS ? [] : ["DT_WORKSPACE_ROOTS"]),
      ...(isLimited ? [`workspaceRoots in ${policyFile}`] : []),
    ];
    throw new SetupError(
      `CODER_AGENT_WORKSPACE_PATH: ${defaultWorkspace} is outside ${workspaceRoots.join(", ")}; add it to ${settings.join(" and to ")}`,
      { cause },
    );
  }
}

async function checkDirectory(name: string, directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new SetupError(`${name}: there is no directory ${directory}`);
}
