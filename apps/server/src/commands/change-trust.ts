import { stat } from "node:fs/promises";
import path from "node:path";
import { createTrust, trustFile } from "@dt/agent-core";
import { SetupError } from "@dt/server";
import type { ServerArgs } from "../args.js";

/** A command line that lists or changes trust. */
export type TrustArgs = Extract<
  ServerArgs,
  { readonly type: "trust" | "list-trusted" | "revoke-trust" }
>;

/** Options of {@link changeTrust}. */
export interface ChangeTrustOptions {
  /** Home of the person who runs the server. */
  readonly home: string;
  /** Directory to which relative paths refer. */
  readonly startDirectory: string;
}

/**
 * Lists or changes the trusted workspaces; resolves with the text to print. A running server applies the
 * change to sessions that it opens later.
 */
export async function changeTrust(args: TrustArgs, options: ChangeTrustOptions): Promise<string> {
  const trust = createTrust({ file: trustFile(options.home) });
  if (args.type === "list-trusted") {
    return (await trust.list()).join("\n") || "no workspace is trusted";
  }
  const directory = path.resolve(options.startDirectory, args.directory);
  if (args.type === "trust") {
    await checkDirectory(directory);
    await trust.trust(directory);
    return `${directory} is trusted; new sessions use its settings, commands, MCP servers and extensions`;
  }
  if (!(await trust.isTrusted(directory)))
    throw new SetupError(
      `${directory} is not trusted; dt-server trust list shows the trusted workspaces`,
    );
  await trust.distrust(directory);
  return `${directory} is no longer trusted; new sessions ignore its settings, commands, MCP servers and extensions`;
}

async function checkDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new SetupError(`there is no directory ${directory}`);
}
