import { findProgram, searchPathOf } from "../../../workspace/processes/find-program.js";
import type { Workspace } from "../../../workspace/workspace.js";

/** Directories that are searched for bash if no directory in `PATH` contains it. */
const USUAL_DIRECTORIES = ["/bin", "/usr/bin", "/usr/local/bin"];

/** Finds the shell that runs commands: the first bash that is not inside the workspace, else `/bin/sh`. */
export async function findShell(
  environment: Readonly<Record<string, string>>,
  workspace: Workspace,
): Promise<string> {
  const directories = [...searchPathOf(environment), ...USUAL_DIRECTORIES];
  return (await findProgram("bash", directories, workspace)) ?? "/bin/sh";
}
