import { type AgentClient, connect, isProtocolError, type TaskHandle } from "@dt/client";
import { type FacePort, isTerminalState, type TaskView } from "@dt/schema";
import { type Logger, SetupError } from "@dt/server";
import { type AttachArgs, UsageError } from "../args.js";
import { NO_DEBUG_LOG, openDebugLog } from "../debug/debug-log.js";
import { openPromptHistory } from "../prompt/prompt-history.js";
import { type OpenRecording, openRecording } from "../record/open-recording.js";
import { runScreen } from "../screen/run-screen.js";
import { findJoinedAs } from "../session/remote/find-joined-as.js";
import { findTokenFault } from "../session/remote/find-token-fault.js";
import { openRemoteFace } from "../session/remote/remote-face.js";
import { openScreenSession } from "../session/screen-session.js";
import { dataPaths } from "../sessions/data-paths.js";
import { holdProcessOutput } from "../terminal/hold-process-output.js";
import { watchLeavingSignals } from "../terminal/leaving-signals.js";
import { chooseAgent } from "./choose-agent.js";
import type { CommandContext } from "./command-context.js";

/** Maximum number of tasks that {@link findOrStartTask} looks at. */
const MAX_SEARCHED_TASKS = 50;

/** Opens the screen on a session of another process; resolves with the exit code. */
export async function runAttach(args: AttachArgs, context: CommandContext): Promise<number> {
  const { hasColour } = args;
  const { address, link } = splitLink(args.url);
  const { environment, home } = context;
  if (!(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new UsageError("dt attach needs a terminal; see dt --help");
  }
  const paths = dataPaths(environment, home);
  const log = args.isDebug ? openDebugLog(paths.logs, environment) : NO_DEBUG_LOG;
  using recording = args.record === undefined ? undefined : openRecording(args.record);
  // The name is unique, so that this screen recognises its own prompts.
  const clientName = `dt-attach-${process.pid}`;
  const leaving = watchLeavingSignals();
  const { signal } = leaving;
  const agent = await chooseAgent(address, context, signal);
  if (agent === undefined) return leaving.exitCode ?? 130;
  const { url, token } = agent;
  const throwUnlessLeaving = (reason: unknown) => {
    if (!signal.aborted) throwSetupError(findTokenFault(reason, url) ?? reason);
    return undefined;
  };
  const options = { clientName, signal, ...(token ? { token } : {}) };
  const client = await connect(url, options).catch(throwUnlessLeaving);
  const handle =
    client && (await open(client, { ...args, link, signal }).catch(throwUnlessLeaving));
  if (!client || !handle) {
    client?.close();
    return leaving.exitCode ?? 1;
  }
  const { contextId, taskId } = handle;
  const face = openRemoteFace({
    client,
    handle,
    // If the commands cannot be listed, the screen can still send prompts.
    commands: await client.commands({ contextId, signal }).catch(() => []),
    ...(await findJoinedAs(handle, clientName, signal)),
    url,
  });
  const recorded = recording && record(face, recording, log.logger);
  const session = await openScreenSession(face);
  const prompts = await openPromptHistory(paths.promptHistory);
  using held = holdProcessOutput(log.write);
  context.earlyKeys?.handOver();
  try {
    return await runScreen({
      session,
      prompts,
      stdin: process.stdin,
      stdout: held.stdout,
      hasColour,
      environment,
      directory: undefined,
      leaving,
      greeting: [
        `attached to ${url}, task ${taskId}`,
        ...(log.file === undefined ? [] : [`log: ${log.file}`]),
      ],
      now: () => performance.now(),
    });
  } finally {
    await face.close();
    await recorded;
    await prompts.flush();
  }
}

/** Opens the session of a link, the named task, or the task that changed last. */
async function open(
  client: AgentClient,
  {
    link,
    taskId,
    signal,
  }: {
    readonly link: string | undefined;
    readonly taskId: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<TaskHandle> {
  if (link !== undefined) {
    const { contextId } = await client.sharing.join(link, { signal });
    return await client.openSession(contextId, { signal });
  }
  return await client.openTask(taskId ?? (await findOrStartTask(client, signal)), { signal });
}

/** Splits an address with a link. The part behind `#` is a secret, so it is not part of the address. */
function splitLink(given: string | undefined): {
  readonly address: string | undefined;
  readonly link: string | undefined;
} {
  const [address, link] = given?.split("#", 2) ?? [];
  return { address, link: link || undefined };
}

/** Records every event until the face is closed. */
async function record(face: FacePort, recording: OpenRecording, logger: Logger): Promise<void> {
  const { signal } = new AbortController();
  try {
    for await (const batch of face.events(signal))
      for (const event of batch) recording.write(event);
  } catch (error) {
    logger.error({ error }, "the recording stopped");
  }
}

/**
 * Finds the task that changed last. If that task has ended and another task of the same session has not,
 * returns the other task. If the server has no task, starts a session with the command `/help`.
 */
async function findOrStartTask(client: AgentClient, signal: AbortSignal): Promise<string> {
  let last: TaskView | undefined;
  let seen = 0;
  for await (const task of client.listTasks({ pageSize: MAX_SEARCHED_TASKS, signal })) {
    last ??= task;
    if (task.contextId === last.contextId && !isTerminalState(task.state)) return task.taskId;
    seen += 1;
    if (seen === MAX_SEARCHED_TASKS) break;
  }
  return last?.taskId ?? (await startSession(client, signal));
}

async function startSession(client: AgentClient, signal: AbortSignal): Promise<string> {
  const { task, message } = await client.run(["help"], "", { signal });
  if (task === undefined)
    throw new SetupError(`the agent has no task to join, and none could be started: ${message}`);
  return task.taskId;
}

function throwSetupError(reason: unknown): never {
  const isKnown =
    isProtocolError(reason) ||
    (reason instanceof Error && ["SetupError", "TransportError"].includes(reason.name));
  if (!isKnown) throw reason;
  throw new SetupError(reason.message.split("\n", 1)[0] ?? "", { cause: reason });
}
