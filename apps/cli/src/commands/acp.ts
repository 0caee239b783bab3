import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type EditorHost, type PeerBytes, type ServeEditorOptions, serveEditor } from "@dt/acp";
import { checkSandbox } from "@dt/agent-core";
import { agentFileDirectory } from "@dt/schema";
import { type LiveEndpoint, type Logger, openLiveEndpoint, type SessionStore } from "@dt/server";
import { createLocalEditorHost } from "../acp/local-editor-host.js";
import { createRemoteEditorHost } from "../acp/remote-editor-host.js";
import { reserveStdout } from "../acp/reserve-stdout.js";
import { runSetup } from "../acp/run-setup.js";
import { withSavedModel } from "../acp/saved-model.js";
import type { AcpArgs } from "../args.js";
import { CLI_VERSION } from "../cli-version.js";
import { namePortFlag } from "../compose.js";
import { NO_DEBUG_LOG, openDebugLog } from "../debug/debug-log.js";
import { checkEncryption, type EndpointOptions } from "../endpoint/endpoint-options.js";
import { readSecrets } from "../read-secrets.js";
import { dataPaths } from "../sessions/data-paths.js";
import { openStore, type UserEnvironment } from "../sessions/stored-sessions.js";
import { printError } from "../terminal/print.js";
import type { CommandContext } from "./command-context.js";
import { findExternalAgent } from "./find-external-agent.js";

/** Serves an editor on standard input and output until the editor disconnects; resolves with the exit code. */
export async function runAcp(args: AcpArgs, context: CommandContext): Promise<number> {
  const { home } = context;
  const { environment: variables, secretKeys } = await readSecrets(context.environment);
  if (args.isSetup) return await runSetup({ home, environment: variables });
  using reserved = reserveStdout();
  const environment = await withSavedModel({ home, environment: variables });
  const log = args.isDebug
    ? openDebugLog(dataPaths(environment, home).logs, environment)
    : NO_DEBUG_LOG;
  if (log.file !== undefined) printError(`log: ${log.file}`);
  const { logger } = log;
  const onFault = (error: unknown) => logger.error({ error }, "the editor's session has a fault");
  const serving = { onFault, output: reserved.output };
  if (args.attach !== undefined) {
    const { url, contextId } = args.attach;
    const clientName = `dt-acp-${process.pid}`;
    const token = environment.DT_TOKEN;
    const startDirectory = context.workspacePath;
    const options = { url, contextId, token, clientName, startDirectory };
    await serve(createRemoteEditorHost(options), serving);
    return 0;
  }
  const user = { home, environment };
  await checkSandbox(user);
  const { workspacePath: startDirectory } = context;
  const externalAgent = await findExternalAgent(args.agent, { ...context, environment });
  await using store = disposableStore(openStore(user, onFault));
  const endpoint = args.endpoint.opensAtStart
    ? await openEndpoint(args.endpoint, { ...user, store: store.store, logger })
    : undefined;
  if (endpoint !== undefined) printError(`A2A ${endpoint.url}`);
  const { model, mode, isTrusted } = args;
  const host = createLocalEditorHost({
    ...user,
    store: store.store,
    ...(endpoint !== undefined && { liveEndpoint: endpoint }),
    model,
    mode,
    isTrusted,
    needsModel: externalAgent === undefined,
    externalAgent,
    startDirectory,
    secretKeys,
    logger,
    onWarning: (warning) => logger.warn({ warning }, "a setting was ignored"),
  });
  await serve(host, serving);
  await endpoint?.close();
  return 0;
}

/** Serves the editor until it disconnects, or until a signal ends dt. */
async function serve(
  host: EditorHost,
  { onFault, output }: Pick<ServeEditorOptions, "onFault"> & Pick<PeerBytes, "output">,
): Promise<void> {
  const input = Readable.toWeb(process.stdin) as NodeReadableStream<Uint8Array>;
  const connection = serveEditor({ input, output }, { host, onFault });
  const stop = () => void connection.close();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);
  await connection.closed;
  process.stdin.destroy();
}

function disposableStore(store: SessionStore) {
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** Opens the endpoint at which other clients join the sessions of the editor. */
async function openEndpoint(
  endpoint: EndpointOptions,
  {
    store,
    logger,
    environment,
    home,
  }: UserEnvironment & { readonly store: SessionStore; readonly logger: Logger },
): Promise<LiveEndpoint> {
  checkEncryption(endpoint);
  const { host, port, publicUrl, tls } = endpoint;
  try {
    return await openLiveEndpoint({
      store,
      logger,
      version: CLI_VERSION,
      host,
      port,
      ...(publicUrl !== undefined && { publicUrl }),
      ...(tls !== undefined && { tls }),
      agentFile: { directory: agentFileDirectory(environment, home), program: "dt" },
    });
  } catch (reason) {
    throw namePortFlag(reason);
  }
}
