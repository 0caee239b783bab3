#!/usr/bin/env node
import { homedir } from "node:os";
import { type CliArgs, parseCliArgs, UsageError } from "./args.js";
import { CLI_VERSION } from "./cli-version.js";
import { type EarlyKeys, holdEarlyKeys } from "./terminal/early-keys.js";
import { hasScreen } from "./terminal/has-screen.js";
import { releaseLostTerminalAtExit } from "./terminal/release-lost-terminal.js";
import { CLI_USAGE } from "./usage.js";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The terminal was closed. Its input ends too, and that closes the screen.
    if (error.code === "EIO") return;
    // The program at the other end of the pipe has closed the pipe.
    if (error.code === "EPIPE") process.exit(0);
    if (stream === process.stdout)
      console.error(`standard output cannot be written: ${error.message}`);
    process.exit(1);
  });
}
releaseLostTerminalAtExit();
process.on("uncaughtException", fail);

process.exitCode = await main(process.argv.slice(2)).catch(fail);

// Prints an unexpected error and exits. Node would print the error without escaping control characters.
async function fail(reason: unknown): Promise<never> {
  try {
    const { printFault } = await import("./terminal/print.js");
    printFault(reason);
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
    const context = { home: homedir(), environment, workspacePath, earlyKeys };
    switch (args.type) {
      case "help":
        console.log(CLI_USAGE);
        return 0;
      case "version":
        console.log(CLI_VERSION);
        return 0;
      // The modules below are loaded only when they are needed, so that dt starts quickly.
      case "list-sessions":
        return await (await import("./commands/list-sessions.js")).runListSessions(context);
      case "delete-session":
        return await (await import("./commands/delete-session.js")).runDeleteSession(
          args.id,
          context,
        );
      case "acp":
        return await (await import("./commands/acp.js")).runAcp(args, context);
      case "attach":
        return await (await import("./commands/attach.js")).runAttach(args, context);
      case "run":
        return await (await import("./commands/run.js")).runSession(args, context);
    }
  } catch (reason) {
    if (!isSetUpFault(reason)) throw reason;
    const { printError } = await import("./terminal/print.js");
    printError(reason.message);
    return 2;
  }
}

/**
 * Starts to buffer typed keys while the slow modules load. Returns undefined if dt opens no screen that would
 * read the keys.
 */
function holdKeys(args: CliArgs): EarlyKeys | undefined {
  // Without an address, dt attach may ask which agent to attach to. The terminal must not be in raw mode
  // while it asks.
  const isScreenCommand =
    (args.type === "attach" && args.url !== undefined) ||
    (args.type === "run" && args.prompt === undefined);
  if (!isScreenCommand || !hasScreen(process.env)) return undefined;
  return holdEarlyKeys(process.stdin, () => process.kill(process.pid, "SIGINT"));
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError("the current directory no longer exists; change to another one", {
      cause,
    });
  }
}

/**
 * Returns true for an error in the person's set-up. Recognises it by its name, because most of these error
 * classes are in modules that are loaded later.
 */
function isSetUpFault(reason: unknown): reason is Error {
  if (reason instanceof UsageError) return true;
  const names = ["SetupError", "ModelError", "SettingsError"];
  return reason instanceof Error && names.includes(reason.name);
}
