#!/usr/bin/env node
import { homedir } from "node:os";
import { ModelError, modelKeys } from "@dt/agent-core";
import { showControl } from "@dt/schema";
import { createLogger, readKeyFiles, SetupError, secretsOf } from "@dt/server";
import { parseServerArgs, usage } from "./args.js";
import { composeServer } from "./compose.js";
import { parseEnv } from "./env.js";
import { closeOnSignal } from "./shutdown.js";
import { startTracing } from "./tracing.js";
import { version } from "./version.js";
import { welcome } from "./welcome.js";

// Whoever reads what we print may go away; the server goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// Node would print the message as it is, whoever wrote it.
process.on("uncaughtException", (reason) => {
  console.error(showControl(reason.stack ?? reason.message));
  process.exit(1);
});

try {
  const args = parseServerArgs(process.argv.slice(2));
  if (args.type === "help") console.log(usage);
  if (args.type === "version") console.log(version);
  if (args.type === "run") await run(args.isDebug);
} catch (reason) {
  if (!(reason instanceof SetupError || reason instanceof ModelError)) throw reason;
  console.error(showControl(reason.message));
  process.exitCode = 2;
}

async function run(isDebug: boolean): Promise<void> {
  const variables = await readKeyFiles(process.env, [...modelKeys, "DT_PUSH_SECRET"]);
  const env = parseEnv({
    variables,
    home: homedir(),
    startDirectory: process.cwd(),
  });
  const logger = createLogger({
    level: isDebug ? "debug" : env.logLevel,
    secrets: secretsOf(variables),
    write: (line) => process.stderr.write(line),
  });
  const tracing = await startTracing(process.env, (problem) =>
    logger.warn({ error: problem }, "a trace could not be sent"),
  );
  const app = await composeServer(env, logger);
  const close = async (options: { readonly graceMs: number }) => {
    await app.close(options);
    await tracing?.close();
  };
  closeOnSignal({ close }, env.shutdownGraceMs);
  console.log(showControl(welcome(app, env)));
}
