import type { RunArgs } from "../args.js";
import { CLI_VERSION } from "../cli-version.js";
import { type CliOptions, composeCli } from "../compose.js";
import type { DebugLog } from "../debug/debug-log.js";
import { openPromptHistory } from "../prompt/prompt-history.js";
import { runScreen } from "../screen/run-screen.js";
import { openScreenSession } from "../session/screen-session.js";
import { dataPaths } from "../sessions/data-paths.js";
import type { EarlyKeys } from "../terminal/early-keys.js";
import { holdProcessOutput } from "../terminal/hold-process-output.js";
import { watchLeavingSignals } from "../terminal/leaving-signals.js";
import { printError } from "../terminal/print.js";

/** Runs a session in this process with a screen; resolves with the exit code. */
export async function runWithScreen(
  { hasColour, resume }: RunArgs,
  options: Omit<CliOptions, "onWarning">,
  { log, earlyKeys }: { readonly log: DebugLog; readonly earlyKeys: EarlyKeys | undefined },
): Promise<number> {
  const { environment, home } = options;
  const leaving = watchLeavingSignals();
  const warnings: string[] = [];
  const opening = openPromptHistory(dataPaths(environment, home).promptHistory);
  await using cli = await composeCli({
    ...options,
    onWarning: (warning) => warnings.push(`warning: ${warning}`),
  });
  const { live, face, hostCommands, offer, notices } = cli;
  const session = await openScreenSession(face);
  const prompts = await resultUnlessAborted(opening, leaving.signal);
  if (prompts === undefined) return leaving.exitCode ?? 1;
  const { workspacePath } = live.session.settings;
  const greeting = [
    `dt ${CLI_VERSION} in ${workspacePath}`,
    ...(resume === undefined ? [] : [`resumed session ${live.contextId}`]),
    ...(log.file === undefined ? [] : [`log: ${log.file}`]),
    ...warnings,
  ];
  let exitCode: number;
  {
    using held = holdProcessOutput(log.write);
    earlyKeys?.handOver();
    exitCode = await runScreen({
      session,
      prompts,
      stdin: process.stdin,
      stdout: held.stdout,
      hasColour,
      environment,
      directory: workspacePath,
      leaving,
      greeting,
      hostCommands,
      firstReply: offer,
      notices,
      now: () => performance.now(),
    });
    await prompts.flush();
  }
  if (session.state().view.items.length > 0) {
    printError(`to continue: dt --resume ${live.contextId.slice(0, 8)}`);
  }
  return exitCode;
}

/** Resolves with the result of the work, or with undefined if the signal aborts before the work is done. */
async function resultUnlessAborted<TResult>(
  work: Promise<TResult>,
  signal: AbortSignal,
): Promise<TResult | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return await Promise.race([aborted, work]);
}
