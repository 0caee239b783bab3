import { randomUUID } from "node:crypto";
import { parseCommandLine } from "@dt/agent-core";
import {
  isTerminalState,
  optionIds,
  type Principal,
  type PromptTicket,
  type SessionEvent,
  type ToolCall,
} from "@dt/schema";
import type { Cli } from "../compose.js";

/** The person at this terminal. */
const terminal: Principal = { principal: "terminal", name: "terminal" };

/** Where output goes and where answers come from. */
export interface HeadlessTerminal {
  /** What the agent says. */
  print(text: string): void;
  /** What happens beside that. */
  note(line: string): void;
  /** Asks the person, who may leave without an answer; undefined where there is nobody to ask. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/** Runs one prompt without a screen; resolves with whether it was done. */
export async function runHeadless(
  cli: Cli,
  prompt: string,
  out: HeadlessTerminal,
): Promise<boolean> {
  const { session, ledger } = cli;
  let isUnanswered = false;
  const ticket = await send(cli, prompt, out);
  if (ticket === undefined) return false;
  for await (const event of ledger.read({ after: ticket.seq - 1 })) {
    show(event, out);
    for (const question of waitingIn(event)) {
      const chosen = await askAbout(question, out);
      isUnanswered ||= chosen === undefined;
      const selectedOptionId = chosen ?? optionIds.cancel;
      await session.answer(
        { toolCallId: question.toolCallId, selectedOptionId, modifiedDetails: undefined },
        terminal,
      );
    }
    if (event.kind === "STATE_CHANGE" && isTerminalState(event.state)) {
      return event.state === "completed" && !isUnanswered;
    }
  }
  return false;
}

/** Sends what was typed: a slash command, or a prompt. Undefined where the command cannot start. */
async function send(
  { session }: Cli,
  text: string,
  out: HeadlessTerminal,
): Promise<PromptTicket | undefined> {
  const ids = { messageId: randomUUID(), taskId: randomUUID() };
  const command = parseCommandLine(text, session.commands());
  if (command === undefined) {
    return await session.prompt({ ...ids, parts: [{ type: "text", text }] }, terminal);
  }
  const { ticket, message } = await session.runCommand({ ...ids, ...command }, terminal);
  if (ticket === undefined) out.note(message);
  return ticket;
}

function waitingIn(event: SessionEvent): readonly ToolCall[] {
  return event.kind === "STATE_CHANGE" && event.state === "input-required"
    ? (event.waiting ?? [])
    : [];
}

/** The option that the person chose; undefined where nobody could be asked or nobody answered. */
async function askAbout(call: ToolCall, out: HeadlessTerminal): Promise<string | undefined> {
  const options = call.confirmationRequest?.options ?? [];
  const what = call.description ?? call.toolName;
  if (out.ask === undefined) {
    out.note(`${what}: refused, since there is nobody to ask; --yolo would allow it`);
    return undefined;
  }
  const { details } = call.confirmationRequest ?? {};
  if (details?.$case === "fileEditDetails") out.note(details.value.formattedDiff ?? "");
  const menu = options.map((option, index) => `${index + 1} ${option.name}`).join(", ");
  for (;;) {
    const reply = (await out.ask(`${what}? (${menu}) `))?.trim();
    if (reply === undefined) {
      out.note(`${what}: refused, since the question was left unanswered`);
      return undefined;
    }
    const chosen = options[Number(reply) - 1] ?? options.find((option) => option.id === reply);
    if (chosen !== undefined) return chosen.id;
  }
}

function show(event: SessionEvent, out: HeadlessTerminal): void {
  switch (event.kind) {
    case "TEXT_CONTENT":
      out.print(event.text);
      return;
    case "THOUGHT":
      out.note(`[${event.thought.subject}] ${event.thought.description}`);
      return;
    case "CONSOLE_LOG":
      out.note(`${event.log.type}: ${event.log.content}`);
      return;
    case "TOOL_CALL_UPDATE": {
      const { toolCall } = event;
      const reason = toolCall.result?.$case === "error" ? `: ${toolCall.result.value.message}` : "";
      if (toolCall.confirmationRequest === undefined) {
        out.note(`[${toolCall.description ?? toolCall.toolName}] ${toolCall.status}${reason}`);
      }
      return;
    }
    case "STATE_CHANGE":
      if (event.error !== undefined) out.note(`error: ${event.error}`);
  }
}
