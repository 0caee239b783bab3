import { stat } from "node:fs/promises";
import path from "node:path";
import { createTrust, trustFile } from "@dt/agent-core";
import { SetupError } from "@dt/server";
import type { ServerArgs } from "./args.js";

/** What the command line wants to know or change about trust. */
export type TrustArgs = Extract<
  ServerArgs,
  { readonly type: "trust" | "list-trusted" | "revoke-trust" }
>;

/** Whose trust it is, and where relative paths begin. */
export interface TrustPlace {
  /** The home of whoever runs the server. */
  readonly home: string;
  readonly startDirectory: string;
}

/**
 * Changes or lists the workspaces that whoever runs the server trusts; resolves with what to print. A
 * running server uses it for the sessions that it opens from then on.
 */
export async function changeTrust(args: TrustArgs, place: TrustPlace): Promise<string> {
  const trust = createTrust({ file: trustFile(place.home) });
  if (args.type === "list-trusted") {
    return (await trust.list()).join("\n") || "no workspace is trusted";
  }
  const directory = path.resolve(place.startDirectory, args.directory);
  if (args.type === "trust") {
    await checkDirectory(directory);
    await trust.trust(directory);
    return `${directory} is trusted: sessions that are opened from now on use what it brings`;
  }
  if (!(await trust.isTrusted(directory))) throw new SetupError(`${directory} is not trusted`);
  await trust.distrust(directory);
  return `${directory} is no longer trusted: sessions that are opened from now on use nothing of it`;
}

async function checkDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new SetupError(`there is no directory ${directory}`);
}
