import path from "node:path";
import type { Workspace } from "../workspace/workspace.js";
import type { ShellPart } from "./shell-part.js";

/**
 * The same parts with every redirection absolute and resolved through links. One that depends on an
 * earlier `cd` counts as computed.
 */
export async function resolveShellWrites(
  parts: readonly ShellPart[],
  directory: string,
  workspace: Workspace,
): Promise<readonly ShellPart[]> {
  const hasMoved = parts.some(({ program }) => /^(cd|pushd|popd)$/.test(program ?? ""));
  const resolve = async (file: string | undefined) => {
    if (file === undefined || (hasMoved && !path.isAbsolute(file))) return undefined;
    return (await workspace.resolve(path.resolve(directory, file))).absolute;
  };
  return await Promise.all(
    parts.map(async (part) => ({ ...part, writes: await Promise.all(part.writes.map(resolve)) })),
  );
}
