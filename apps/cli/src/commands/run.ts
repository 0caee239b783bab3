import { type RunArgs, UsageError } from "../args.js";
import { type CliOptions, composeCli } from "../compose.js";
import { type DebugLog, NO_DEBUG_LOG, openDebugLog } from "../debug/debug-log.js";
import { openNodeTerminal } from "../headless/node-terminal.js";
import { runHeadless } from "../headless/run-headless.js";
import { readSecrets } from "../read-secrets.js";
import { type OpenRecording, openRecording } from "../record/open-recording.js";
import { dataPaths } from "../sessions/data-paths.js";
import { hasScreen } from "../terminal/has-screen.js";
import type { CommandContext } from "./command-context.js";
import { findExternalAgent } from "./find-external-agent.js";

/** Runs a session in this process, with a screen if the terminal allows; resolves with the exit code. */
export async function runSession(args: RunArgs, context: CommandContext): Promise<number> {
  const { home } = context;
  const { environment, secretKeys } = await readSecrets(context.environment);
  const isScreen = args.prompt === undefined && hasScreen(environment);
  if (isScreen && args.output === "json") {
    throw new UsageError(
      "--output json needs a prompt; give one with -p or pipe it in; see dt --help",
    );
  }
  const log = args.isDebug
    ? openDebugLog(dataPaths(environment, home).logs, environment)
    : NO_DEBUG_LOG;
  using recording = args.record === undefined ? undefined : openRecording(args.record);
  const options = {
    ...toOptions(args, { ...context, environment }, { log, recording }),
    needsModel: args.agent === undefined && needsModel(args.prompt),
    externalAgent: await findExternalAgent(args.agent, { ...context, environment }),
    secretKeys,
  };
  if (!isScreen) return await runWithoutScreen(args, options, log);
  const { runWithScreen } = await import("./run-with-screen.js");
  return await runWithScreen(args, options, { log, earlyKeys: context.earlyKeys });
}

/**
 * Returns true if dt must not start without a configured model, because a script could mistake an answer of
 * the offline model for a real one. Returns false for a person at a terminal, who sees which model answers,
 * and for a slash command, which may need no model.
 */
function needsModel(prompt: string | undefined): boolean {
  if (prompt === undefined) return !process.stdin.isTTY;
  return !isCommand(prompt);
}

function isCommand(prompt: string): boolean {
  return prompt.trimStart().startsWith("/");
}

function toOptions(
  { model, mode, isTrusted, resume, endpoint }: RunArgs,
  context: CommandContext,
  { log, recording }: { readonly log: DebugLog; readonly recording: OpenRecording | undefined },
): Omit<CliOptions, "onWarning" | "needsModel"> {
  return {
    ...context,
    model,
    mode,
    isTrusted,
    resume,
    endpoint,
    logger: log.logger,
    ...(recording !== undefined && { onEvent: (event) => recording.write(event) }),
  };
}

async function runWithoutScreen(
  { prompt, output }: RunArgs,
  options: Omit<CliOptions, "onWarning">,
  log: DebugLog,
): Promise<number> {
  const leaving = new AbortController();
  const onSignal = () => leaving.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, onSignal);
  using terminal = openNodeTerminal(leaving);
  if (log.file !== undefined) terminal.note(`log: ${log.file}`);
  const piped = prompt === undefined || isCommand(prompt) ? undefined : await terminal.readPiped();
  if (leaving.signal.aborted) return 130;
  await using cli = await composeCli({
    ...options,
    onWarning: (warning) => terminal.note(`warning: ${warning}`),
  });
  if (cli.endpoint !== undefined) terminal.note(`A2A ${cli.endpoint}`);
  if (cli.offer !== undefined) {
    if (process.stderr.isTTY) for (const row of cli.offer.picture ?? []) terminal.note(row);
    terminal.note(cli.offer.text);
  }
  cli.notices.subscribe(terminal.note);
  if (leaving.signal.aborted) return 130;
  let hasSucceeded: boolean | undefined;
  for await (const text of prompt === undefined ? terminal.prompts() : [prompt]) {
    hasSucceeded = await runHeadless(cli, { text, piped }, terminal, {
      output,
      directory: options.workspacePath,
      signal: leaving.signal,
    });
    if (leaving.signal.aborted) break;
  }
  if (leaving.signal.aborted) return 130;
  if (hasSucceeded === undefined && !process.stdin.isTTY) {
    throw new UsageError("there is no prompt; give one with -p or pipe it in; see dt --help");
  }
  return hasSucceeded === false ? 1 : 0;
}
