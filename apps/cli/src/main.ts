#!/usr/bin/env node
import { homedir } from "node:os";
import { type CliArgs, parseCliArgs, UsageError } from "./args.js";
import { type EarlyKeys, holdEarlyKeys } from "./terminal/early-keys.js";
import { hasScreen } from "./terminal/has-screen.js";
import { releaseLostTerminal } from "./terminal/release-lost-terminal.js";
import { usage } from "./usage.js";
import { version } from "./version.js";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The terminal is gone: whoever draws on it is told so, and ends in order.
    if (error.code === "EIO") return;
    // Whoever reads our output may have seen enough of it.
    if (error.code === "EPIPE") process.exit(0);
    if (stream === process.stdout) console.error(`the output cannot be written: ${error.message}`);
    process.exit(1);
  });
}
releaseLostTerminal();
process.on("uncaughtException", fail);

process.exitCode = await main(process.argv.slice(2)).catch(fail);

// Node would print the message as it is, whoever wrote it.
async function fail(reason: unknown): Promise<never> {
  try {
    const { complainOfFault } = await import("./terminal/say.js");
    complainOfFault(reason);
  } finally {
    process.exit(1);
  }
}

async function main(argv: readonly string[]): Promise<number> {
  const { env: environment } = process;
  try {
    const args = parseCliArgs(argv, environment);
    const workspacePath = currentDirectory();
    using earlyKeys = holdKeys(args);
    const place = { home: homedir(), environment, workspacePath, earlyKeys };
    switch (args.type) {
      case "help":
        console.log(usage);
        return 0;
      case "version":
        console.log(version);
        return 0;
      // What needs time to load is loaded when it is needed.
      case "list-sessions":
        return await (await import("./commands/list-sessions.js")).runListSessions(place);
      case "delete-session":
        return await (await import("./commands/delete-session.js")).runDeleteSession(
          args.id,
          place,
        );
      case "attach":
        return await (await import("./commands/attach.js")).runAttach(args, place);
      case "run":
        return await (await import("./commands/run.js")).runSession(args, place);
    }
  } catch (reason) {
    if (!isSetUpFault(reason)) throw reason;
    const { complain } = await import("./terminal/say.js");
    complain(reason.message);
    return 2;
  }
}

/** Held before anything is loaded, if a screen will read them. */
function holdKeys(args: CliArgs): EarlyKeys | undefined {
  const draws = args.type === "attach" || (args.type === "run" && args.prompt === undefined);
  if (!draws || !hasScreen(process.env)) return undefined;
  return holdEarlyKeys(process.stdin, () => process.kill(process.pid, "SIGINT"));
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError("the current directory is not there any more", { cause });
  }
}

/** By name: the classes come with what is loaded when it is needed. */
function isSetUpFault(reason: unknown): reason is Error {
  if (reason instanceof UsageError) return true;
  const names = ["SetupError", "ModelError", "SettingsError"];
  return reason instanceof Error && names.includes(reason.name);
}
