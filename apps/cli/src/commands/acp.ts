import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { serveEditor } from "@dt/acp";
import { MODEL_KEYS } from "@dt/agent-core";
import { readKeyFiles } from "@dt/server";
import { createLocalEditorHost } from "../acp/local-editor-host.js";
import { reserveStdout } from "../acp/reserve-stdout.js";
import type { AcpArgs } from "../args.js";
import { NO_DEBUG_LOG, openDebugLog } from "../debug/debug-log.js";
import { dataPaths } from "../sessions/data-paths.js";
import { openStore } from "../sessions/stored-sessions.js";
import { printError } from "../terminal/print.js";
import type { CommandContext } from "./command-context.js";

/** Serves an editor on standard input and output until the editor is gone; resolves with the exit code. */
export async function runAcp(args: AcpArgs, context: CommandContext): Promise<number> {
  const { home } = context;
  using reserved = reserveStdout();
  const environment = await readKeyFiles(context.environment, MODEL_KEYS);
  const log = args.isDebug
    ? openDebugLog(dataPaths(environment, home).logs, environment)
    : NO_DEBUG_LOG;
  if (log.file !== undefined) printError(`log: ${log.file}`);
  const { logger } = log;
  const onFault = (error: unknown) => logger.error({ error }, "the editor's session has a fault");
  const user = { home, environment };
  const store = openStore(user, onFault);
  const { model, mode, isTrusted } = args;
  const host = createLocalEditorHost({
    ...user,
    store,
    model,
    mode,
    isTrusted,
    needsModel: true,
    logger,
    onWarning: (warning) => logger.warn({ warning }, "a setting was ignored"),
  });
  const input = Readable.toWeb(process.stdin) as NodeReadableStream<Uint8Array>;
  const connection = serveEditor({ input, output: reserved.output }, { host, onFault });
  const stop = () => void connection.close();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);
  await connection.closed;
  await store.close();
  process.stdin.destroy();
  return 0;
}
