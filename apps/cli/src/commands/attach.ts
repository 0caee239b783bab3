import { type AgentClient, connect, isProtocolError } from "@dt/client";
import { type FacePort, isTerminalState, type TaskView } from "@dt/schema";
import { type Logger, SetupError } from "@dt/server";
import { type AttachArgs, UsageError } from "../args.js";
import { noDebugLog, openDebugLog } from "../debug/debug-log.js";
import { openPromptHistory } from "../prompt/prompt-history.js";
import { type OpenRecording, openRecording } from "../record/open-recording.js";
import { runScreen } from "../screen/run-screen.js";
import { openRemoteFace } from "../session/remote/remote-face.js";
import { openScreenSession } from "../session/screen-session.js";
import { dataPaths } from "../sessions/data-paths.js";
import { holdProcessOutput } from "../terminal/hold-process-output.js";
import { watchLeavingSignals } from "../terminal/leaving-signals.js";
import type { Place } from "./place.js";

/** How many tasks are looked through for one that is still open. */
const MOST_SEARCHED = 50;

/** Opens the screen on someone else's session; resolves with the exit code. */
export async function runAttach(args: AttachArgs, place: Place): Promise<number> {
  const { url, hasColour } = args;
  const { environment, home } = place;
  if (!(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new UsageError("dt attach needs a terminal; see dt --help");
  }
  const paths = dataPaths(environment, home);
  const log = args.isDebug ? openDebugLog(paths.logs, environment) : noDebugLog;
  using recording = args.record === undefined ? undefined : openRecording(args.record);
  // Told apart from others who attach: what is typed here is shown without a mark.
  const clientName = `dt-attach-${process.pid}`;
  const leaving = watchLeavingSignals();
  const { signal } = leaving;
  const orLeft = (reason: unknown) => {
    if (!signal.aborted) orSetupError(reason);
    return undefined;
  };
  const client = await connect(url, { clientName, signal }).catch(orLeft);
  const taskId = args.taskId ?? (client && (await findOrStartTask(client, signal).catch(orLeft)));
  const handle = taskId && (await client?.openTask(taskId, { signal }).catch(orLeft));
  if (!client || !taskId || !handle) {
    client?.close();
    return leaving.exitCode ?? 1;
  }
  const { contextId } = handle;
  const face = openRemoteFace({
    client,
    handle,
    // An agent without commands is still one to talk to.
    commands: await client.commands({ contextId, signal }).catch(() => []),
    clientName,
    url,
  });
  const recorded = recording && record(face, recording, log.logger);
  const session = await openScreenSession(face);
  const prompts = await openPromptHistory(paths.promptHistory);
  using held = holdProcessOutput(log.write);
  place.earlyKeys?.handOver();
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

/** Writes down every event until the face is closed. */
async function record(face: FacePort, recording: OpenRecording, logger: Logger): Promise<void> {
  const { signal } = new AbortController();
  try {
    for await (const batch of face.events(signal)) for (const event of batch) recording.take(event);
  } catch (error) {
    logger.error({ error }, "the recording stopped");
  }
}

/**
 * The task that changed last: of a dt the one that everyone shares, of a server the caller's latest. If
 * that has ended, such as a command's, an open one of the same session is better. A server without any
 * gets a session: its first task is `/help`.
 */
async function findOrStartTask(client: AgentClient, signal: AbortSignal): Promise<string> {
  let last: TaskView | undefined;
  let seen = 0;
  for await (const task of client.listTasks({ pageSize: MOST_SEARCHED, signal })) {
    last ??= task;
    if (task.contextId === last.contextId && !isTerminalState(task.state)) return task.taskId;
    seen += 1;
    if (seen === MOST_SEARCHED) break;
  }
  return last?.taskId ?? (await startSession(client, signal));
}

async function startSession(client: AgentClient, signal: AbortSignal): Promise<string> {
  const { task, message } = await client.run(["help"], "", { signal });
  if (task === undefined)
    throw new SetupError(`there is no task to join, and none could be started: ${message}`);
  return task.taskId;
}

function orSetupError(reason: unknown): never {
  const isKnown =
    isProtocolError(reason) ||
    (reason instanceof Error && ["SetupError", "TransportError"].includes(reason.name));
  if (!isKnown) throw reason;
  throw new SetupError(reason.message.split("\n", 1)[0] ?? "", { cause: reason });
}
