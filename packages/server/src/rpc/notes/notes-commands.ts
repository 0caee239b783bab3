import {
  emptyTaskView,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  type SlashCommand,
  type TaskView,
  type Ticket,
} from "@dt/schema";
import {
  type Dialect,
  decodeNotesCommand,
  encodeNotesCommandEnd,
  encodeNotesCommands,
  type NotesCommand,
  type StreamFrame,
} from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import { findCommandHost } from "../commands/command-execute.js";
import { listSlashCommands } from "../commands/commands-get.js";
import { turnEvents, turnStream } from "../frames/turn-stream.js";
import { checkTurnEnded } from "../messages/check-turn-ended.js";
import { withDialect } from "../messages/with-dialect.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { getTaskForCaller } from "../tasks/shared-session.js";

/** Commands that always answer with a stream, as in gemini-cli's a2a-server. */
const STREAMING_COMMANDS: readonly string[] = ["init"];

/** Dialect of command streams: that of gemini-cli's a2a-server, or A2A 0.3 if the server has no such dialect. */
const STREAM_FAMILY = "gemini";

/** `GET /listCommands`: lists the slash commands. (protocol notes, Custom endpoints) */
export async function listNotesCommands(
  contextId: string | undefined,
  context: RpcContext,
): Promise<RpcOutcome> {
  const commands = await listSlashCommands(contextId, context);
  return { type: "result", result: encodeNotesCommands(commands) };
}

/**
 * `POST /executeCommand`: runs a slash command to its end, and answers with its text. The answer is a stream
 * instead if the client accepts a stream, or if the command uses tools, asks a question or streams the reply
 * of a model. (protocol notes, Custom endpoints)
 */
export async function executeNotesCommand(
  params: unknown,
  context: RpcContext,
): Promise<RpcOutcome> {
  const command = decodeNotesCommand(params);
  const contextId = await findContext(command, context);
  checkKnown(command, await listSlashCommands(contextId, context));
  const run = await startCommand(command, await findCommandHost(contextId, context), context);
  const { name } = command;
  const isStream = context.acceptsStream || STREAMING_COMMANDS.includes(name);
  const view = isStream ? undefined : await waitForText(run, context);
  if (view !== undefined) return { type: "result", result: encodeEnd(name, view) };
  return { type: "stream", batches: commandStream(run, context), frameId: run.ticket.taskId };
}

async function findContext(
  { contextId, taskId }: NotesCommand,
  context: RpcContext,
): Promise<string | undefined> {
  if (taskId === undefined) return contextId;
  return (await getTaskForCaller(taskId, context)).host.log.contextId;
}

function checkKnown(
  { name: written, path }: NotesCommand,
  commands: readonly SlashCommand[],
): void {
  let level: readonly SlashCommand[] | undefined = commands;
  for (const name of path) level = level?.find((each) => each.name === name)?.subCommands;
  if (level !== undefined) return;
  throw new ProtocolError("method-not-found", `Command not found: ${written}`);
}

/** A command that has started. */
interface CommandRun {
  readonly host: SessionHost;
  readonly ticket: Ticket;
  readonly messageId: string;
  readonly dialect: Dialect;
}

async function startCommand(
  { path, args }: NotesCommand,
  host: SessionHost,
  { dialects, createId, caller }: RpcContext,
): Promise<CommandRun> {
  const request = { operation: "execute-command", params: {}, isLive: false } as const;
  const plain = { version: "0.3", developmentTool: false, session: false } as const;
  const dialect = dialects.ofRequest({ ...request, family: STREAM_FAMILY }, plain);
  const taskId = createId();
  const messageId = createId();
  const { message, ticket } = await withDialect({ log: host.log, taskId, dialect }, () =>
    host.agent.runCommand({ messageId, taskId, path, args }, caller),
  );
  if (ticket === undefined) throw new ProtocolError("invalid-message", message);
  return { host, ticket, messageId, dialect };
}

/** Waits for the end of a command. Returns undefined as soon as an event shows that the command needs a stream. */
async function waitForText(run: CommandRun, context: RpcContext): Promise<TaskView | undefined> {
  const { host, ticket, messageId } = run;
  const { log } = host;
  const { stopping, caller } = context;
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  let view = emptyTaskView(ticket.taskId, log.contextId);
  let texts = 0;
  for await (const { events, isEnded } of turnEvents({
    ...ticket,
    log,
    messageId,
    caller,
    signal,
  })) {
    for (const { event } of events) {
      view = reduceTaskView(view, event);
      if (event.kind === "TEXT_CONTENT") texts += 1;
      if (texts > 1 || needsStream(event)) return undefined;
    }
    if (isEnded) return view;
  }
  await checkTurnEnded({ host, taskId: ticket.taskId, messageId }, stopping);
  return view;
}

function needsStream(event: SessionEvent): boolean {
  const isQuestion = event.kind === "STATE_CHANGE" && event.state === "input-required";
  return isQuestion || event.kind === "TOOL_CALL_UPDATE" || event.kind === "THOUGHT";
}

function encodeEnd(name: string, { items, state, error }: TaskView) {
  const text = items
    .flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []))
    .join("");
  const isFailed = state === "failed" || state === "canceled";
  return encodeNotesCommandEnd({ name, text, ...(isFailed && { error: error ?? state }) });
}

// Yields all frames of a command. Events that `waitForText` has read are read again from the log, so that the
// stream is complete.
async function* commandStream(
  { host, ticket, messageId, dialect }: CommandRun,
  { caller, signal }: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { log } = host;
  const { taskId, afterPosition } = ticket;
  const [first] = await log.read(afterPosition);
  const empty = emptyTaskView(taskId, log.contextId);
  const view = first === undefined ? empty : reduceTaskView(empty, first.event);
  const start = { type: "message", isNewTask: true, queuePosition: 0 } as const;
  const { memory, frames } = dialect.start(view, start);
  yield frames;
  yield* turnStream({ ...ticket, log, messageId, dialect, memory, caller, signal });
}
