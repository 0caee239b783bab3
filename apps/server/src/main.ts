#!/usr/bin/env node
import { once } from "node:events";
import { homedir } from "node:os";
import { MODEL_KEYS, ModelError, SettingsError } from "@dt/agent-core";
import { showControl } from "@dt/schema";
import { createLogger, readKeyFiles, SetupError, secretsOf } from "@dt/server";
import { type AuditArgs, parseServerArgs, type ServerArgs, type StoreArgs } from "./args.js";
import { closeOnSignal } from "./close-on-signal.js";
import { changeTrust } from "./commands/change-trust.js";
import { exportAudit } from "./commands/export-audit.js";
import { manageStore } from "./commands/manage-store.js";
import { manageUsers } from "./commands/manage-users.js";
import { composeServer } from "./compose.js";
import { type Env, parseEnv } from "./env.js";
import { SERVER_USAGE } from "./options.js";
import { SERVER_VERSION } from "./server-version.js";
import { startMessage } from "./start-message.js";
import { startTracing } from "./tracing.js";
import { SERVER_SECRETS } from "./variables/variables.js";

// Errors of the output are ignored, so that the server continues after the program that reads its output
// has ended.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// Escapes control characters in the message of the fault, because Node would print them unchanged.
process.on("uncaughtException", (reason) => {
  console.error(showControl(reason.stack ?? reason.message));
  process.exit(1);
});

try {
  const args = parseServerArgs(process.argv.slice(2));
  if (args.type === "run") await run(args.isDebug);
  else if (args.type === "audit") await printAll(toLines(await readAudit(args)));
  else if (isStoreArgs(args)) await printAll(await openStoreCommand(args));
  else console.log(await runCommandLine(args));
} catch (reason) {
  const isSetup = [SetupError, ModelError, SettingsError].some((kind) => reason instanceof kind);
  if (!(isSetup && reason instanceof Error)) throw reason;
  console.error(showControl(reason.message));
  process.exitCode = 2;
}

/** Runs a subcommand that starts no server; resolves with the text to print. */
async function runCommandLine(
  args: Exclude<ServerArgs, StoreArgs | { readonly type: "run" | "audit" }>,
): Promise<string> {
  if (args.type === "help") return SERVER_USAGE;
  if (args.type === "version") return SERVER_VERSION;
  const { home, startDirectory } = findDirectories();
  switch (args.type) {
    case "trust":
    case "list-trusted":
    case "revoke-trust":
      return await changeTrust(args, { home, startDirectory });
    default:
      return await manageUsers(args, { env: await readEnv(), now: new Date() });
  }
}

function findDirectories() {
  return { home: homedir(), startDirectory: process.env.INIT_CWD ?? process.cwd() };
}

async function readEnv(): Promise<Env> {
  const variables = await readKeyFiles(process.env, SERVER_SECRETS);
  return parseEnv({ variables, ...findDirectories() });
}

function isStoreArgs(args: ServerArgs): args is StoreArgs {
  return ["migrate", "backup", "restore", "export-task"].includes(args.type);
}

async function openStoreCommand(args: StoreArgs): Promise<AsyncIterable<string>> {
  const { startDirectory } = findDirectories();
  return manageStore(args, { env: await readEnv(), now: new Date(), startDirectory });
}

async function readAudit(args: AuditArgs): Promise<AsyncIterable<string>> {
  return exportAudit(args, { env: await readEnv(), now: new Date() });
}

async function* toLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield `${text}\n`;
}

async function printAll(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    if (process.stdout.destroyed) return;
    // Waits while the program that reads the text is slow. Stops if that program has ended.
    const hasRoom = process.stdout.write(text);
    if (!hasRoom) await once(process.stdout, "drain").catch(() => {});
  }
}

async function run(isDebug: boolean): Promise<void> {
  const variables = await readKeyFiles(process.env, [...MODEL_KEYS, ...SERVER_SECRETS]);
  const env = parseEnv({
    variables,
    home: homedir(),
    startDirectory: process.cwd(),
  });
  for (const warning of env.warnings) console.error(showControl(`warning: ${warning}`));
  const logger = createLogger({
    level: isDebug ? "debug" : env.logLevel,
    secrets: [...secretsOf(variables), ...(env.storeUrl === undefined ? [] : [env.storeUrl])],
    write: (line) => process.stderr.write(line),
  });
  const tracing = await startTracing(process.env, (problem) =>
    logger.warn({ error: problem }, "a trace could not be sent"),
  );
  const app = await composeServer(env, { logger }).catch((reason) => addPortHint(reason, env));
  const close = async (options: { readonly graceMs: number }) => {
    await app.close(options);
    await tracing?.close();
  };
  closeOnSignal({ countTurns: app.countTurns, close }, env.shutdownGraceMs);
  console.log(showControl(startMessage(app, env)));
}

function addPortHint(reason: unknown, { grpcPort }: Env): never {
  const { message, cause } = reason as Error & {
    cause?: NodeJS.ErrnoException & { port?: number };
  };
  const isTaken = reason instanceof SetupError && cause?.code === "EADDRINUSE";
  if (!isTaken) throw reason;
  const variable = cause.port === grpcPort ? "DT_GRPC_PORT" : "CODER_AGENT_PORT";
  throw new SetupError(`${message}; set ${variable} to another one, or to 0 for any`, { cause });
}
