#!/usr/bin/env node
import { homedir } from "node:os";
import { ModelError, modelKeys, SettingsError } from "@dt/agent-core";
import { showControl } from "@dt/schema";
import { createLogger, readKeyFiles, SetupError, secretsOf } from "@dt/server";
import { parseServerArgs, type ServerArgs, usage } from "./args.js";
import { changeTrust } from "./change-trust.js";
import { composeServer } from "./compose.js";
import { parseEnv } from "./env.js";
import { closeOnSignal } from "./close-on-signal.js";
import { startTracing } from "./tracing.js";
import { version } from "./server-version.js";
import { welcome } from "./start-message.js";

// Whoever reads what we print may go away; the server goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// Node would print the message as it is, whoever wrote it.
process.on("uncaughtException", (reason) => {
  console.error(showControl(reason.stack ?? reason.message));
  process.exit(1);
});

try {
  const args = parseServerArgs(process.argv.slice(2));
  if (args.type === "run") await run(args.isDebug);
  else console.log(await answer(args));
} catch (reason) {
  const isSetup = [SetupError, ModelError, SettingsError].some((kind) => reason instanceof kind);
  if (!(isSetup && reason instanceof Error)) throw reason;
  console.error(showControl(reason.message));
  process.exitCode = 2;
}

/** What is asked of the program and not of a server. */
async function answer(args: Exclude<ServerArgs, { readonly type: "run" }>): Promise<string> {
  if (args.type === "help") return usage;
  if (args.type === "version") return version;
  const startDirectory = process.env.INIT_CWD ?? process.cwd();
  return await changeTrust(args, { home: homedir(), startDirectory });
}

async function run(isDebug: boolean): Promise<void> {
  const variables = await readKeyFiles(process.env, [...modelKeys, "DT_PUSH_SECRET"]);
  const env = parseEnv({
    variables,
    home: homedir(),
    startDirectory: process.cwd(),
  });
  for (const warning of env.warnings) console.error(showControl(`warning: ${warning}`));
  const logger = createLogger({
    level: isDebug ? "debug" : env.logLevel,
    secrets: secretsOf(variables),
    write: (line) => process.stderr.write(line),
  });
  const tracing = await startTracing(process.env, (problem) =>
    logger.warn({ error: problem }, "a trace could not be sent"),
  );
  const app = await composeServer(env, { logger }).catch(nameThePort);
  const close = async (options: { readonly graceMs: number }) => {
    await app.close(options);
    await tracing?.close();
  };
  closeOnSignal({ close }, env.shutdownGraceMs);
  console.log(showControl(welcome(app, env)));
}

function nameThePort(reason: unknown): never {
  const { message, cause } = reason as Error;
  const isTaken =
    reason instanceof SetupError && (cause as NodeJS.ErrnoException)?.code === "EADDRINUSE";
  if (!isTaken) throw reason;
  throw new SetupError(`${message}; set CODER_AGENT_PORT to another one, or to 0 for any`, {
    cause,
  });
}
