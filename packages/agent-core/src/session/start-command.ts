import type { Caller, CommandReply, CommandRequest } from "@dt/schema";
import { acceptPrompt } from "./accept-prompt.js";
import { waitForCommandStart } from "./command-start.js";
import { canRunConcurrently } from "./concurrent-commands.js";
import type { SessionParts } from "./session-parts.js";

/**
 * Runs a slash command as a turn, or beside the running turn if the command allows it.
 *
 * Resolves at once if the command cannot start; no task is then created. Otherwise, it resolves when
 * - a command beside the running turn has ended,
 * - a command that begins with a tool call has asked its question, runs without a question, or is queued
 *   behind another turn,
 * - any other command has been accepted.
 */
export async function startCommand(
  { path, args, taskId, messageId }: CommandRequest,
  caller: Caller,
  parts: SessionParts,
): Promise<CommandReply> {
  const { recorder, engine, concurrentCommands, lifetime, createId } = parts;
  const commandCaller = parts.toCommandCaller(caller);
  const match = engine.commands.find(path, args, commandCaller);
  if (match.type === "unavailable") {
    return { type: "command", status: "FAILED_TO_START", message: match.reason };
  }
  const text = ["/", path.join(" "), args === "" ? "" : ` ${args}`].join("");
  const prompt = { messageId, parts: [{ type: "text", text }], command: { path, args } } as const;
  const { turn, queue, openTaskId } = recorder.state;
  const isBusy = turn !== undefined || queue.length > 0;
  if (isBusy && canRunConcurrently(match.command, args)) {
    const isTaken = [turn?.prompt.taskId, openTaskId].includes(taskId);
    const ownPrompt = { ...prompt, taskId: isTaken ? createId() : taskId };
    const ticket = await concurrentCommands.run(match.command, ownPrompt, caller);
    return { type: "command", status: "STARTED", message: "", ticket };
  }
  const ticket = await acceptPrompt({ ...prompt, taskId }, caller, parts);
  if (match.command.asksFirst?.(args, commandCaller) !== true) {
    return { type: "command", status: "STARTED", message: "", ticket };
  }
  const startOptions = { recorder, turn: ticket.turn, signal: lifetime.signal };
  return { type: "command", ...(await waitForCommandStart(startOptions)), ticket };
}
