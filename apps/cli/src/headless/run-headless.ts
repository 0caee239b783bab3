import { randomUUID } from "node:crypto";
import { parseCommandLine } from "@dt/agent-core";
import { openQuestions, optionIds, type SessionEvent, type ToolCall } from "@dt/schema";
import type { OutputFormat } from "../args.js";
import type { Cli } from "../compose.js";
import { findCommandFailure } from "../history/command-failure.js";
import { promptParts } from "../prompt/read-mentions.js";
import { TERMINAL_CALLER } from "../session/local/handle-local.js";

/** Where output goes and where answers come from. */
export interface HeadlessTerminal {
  /** What the agent says. */
  print(text: string): void;
  /** What happens beside that. */
  note(line: string): void;
  /** Asks the person, who may leave without an answer; undefined where there is nobody to ask. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/** How one prompt is run. */
export interface HeadlessOptions {
  readonly output: OutputFormat;
  /** The directory whose files the prompt may name. */
  readonly directory: string;
  /** Aborts when the person does not want to wait any more. */
  readonly signal: AbortSignal;
}

/** What a run without a screen is asked. */
export interface HeadlessPrompt {
  readonly text: string;
  /** The piped input that goes with it; nothing in it is read as a command or as `@path`. */
  readonly piped: string | undefined;
}

/** Runs one prompt without a screen; resolves with whether it was done. */
export async function runHeadless(
  { live }: Pick<Cli, "live">,
  prompt: HeadlessPrompt,
  out: HeadlessTerminal,
  { output, directory, signal }: HeadlessOptions,
): Promise<boolean> {
  const view = await live.view();
  // A question that an earlier run left open would hold up this prompt for ever.
  for (const question of openQuestions(view)) await settle(question, { live, out, signal });
  if (signal.aborted) return false;
  const { cursor } = await live.view();
  const messageId = randomUUID();
  if (!(await send(live, { ...prompt, messageId, directory }, out))) return false;
  const withdrawn = new AbortController();
  // What has not begun yet is taken back: the turn before it is someone else's.
  const cancel = async () => {
    if (await live.agent.withdraw(messageId, TERMINAL_CALLER)) withdrawn.abort();
    else await live.agent.cancel(live.taskId, TERMINAL_CALLER);
  };
  const onAbort = () => void cancel();
  signal.addEventListener("abort", onAbort);
  let isOurs = false;
  let isUnanswered = false;
  // A question is repeated while others of the same step are open.
  const asked = new Set<string>();
  try {
    const from = cursor === undefined ? {} : { after: cursor };
    for await (const batch of live.events({ ...from, signal: withdrawn.signal })) {
      for (const event of batch) {
        // What others began before is theirs.
        isOurs ||= event.kind === "USER_PROMPT" && event.messageId === messageId;
        if (!isOurs) continue;
        if (output === "json") out.print(`${JSON.stringify(event)}\n`);
        else show(event, out);
        for (const question of waitingIn(event)) {
          if (asked.has(question.toolCallId)) continue;
          asked.add(question.toolCallId);
          isUnanswered = !(await settle(question, { live, out, signal })) || isUnanswered;
        }
        if (isEnd(event)) return event.error === undefined && !isUnanswered;
      }
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return false;
}

/** Answers a question as the person does, or refuses it for them; false where they did not. */
async function settle(
  question: ToolCall,
  scope: Pick<Cli, "live"> & { readonly out: HeadlessTerminal; readonly signal: AbortSignal },
): Promise<boolean> {
  const { live, out, signal } = scope;
  const chosen = signal.aborted ? undefined : await askAbout(question, out, signal);
  // Whoever leaves cancels the turn, and the question with it.
  if (signal.aborted) return false;
  const { toolCallId } = question;
  const selectedOptionId = chosen ?? optionIds.cancel;
  await live.agent.answer(
    { answers: [{ toolCallId, selectedOptionId, modifiedDetails: undefined }] },
    TERMINAL_CALLER,
  );
  return chosen !== undefined;
}

/** Sends what was typed: a slash command, or a prompt. False where the command cannot start. */
async function send(
  { agent, taskId }: Cli["live"],
  {
    messageId,
    text,
    piped,
    directory,
  }: HeadlessPrompt & { readonly messageId: string; readonly directory: string },
  out: HeadlessTerminal,
): Promise<boolean> {
  const ids = { messageId, taskId };
  const command = parseCommandLine(text, await agent.listCommands(TERMINAL_CALLER));
  if (command === undefined) {
    const parts = [
      ...(await promptParts(text, directory)),
      ...(piped === undefined ? [] : [{ type: "text" as const, text: piped }]),
    ];
    await agent.prompt({ ...ids, parts }, TERMINAL_CALLER);
    return true;
  }
  const { ticket, message } = await agent.runCommand({ ...ids, ...command }, TERMINAL_CALLER);
  if (ticket === undefined) out.note(message);
  return ticket !== undefined;
}

/** Whether the turn is over: the session's task rests, and no question is why. */
function isEnd(event: SessionEvent): boolean {
  if (event.kind !== "STATE_CHANGE" || event.state === "working") return false;
  return (event.waiting ?? []).length === 0;
}

function waitingIn(event: SessionEvent): readonly ToolCall[] {
  return event.kind === "STATE_CHANGE" && event.state === "input-required"
    ? (event.waiting ?? [])
    : [];
}

/** The option that the person chose; undefined where nobody could be asked or nobody answered. */
async function askAbout(
  call: ToolCall,
  out: HeadlessTerminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = call.confirmationRequest?.options ?? [];
  const what = call.description ?? call.toolName;
  if (out.ask === undefined) {
    out.note(`${what}: refused, since there is nobody to ask; --yolo would allow it`);
    return undefined;
  }
  const { details } = call.confirmationRequest ?? {};
  if (details?.$case === "fileEditDetails") out.note(details.value.formattedDiff ?? "");
  const menu = options.map(({ name, description }, index) => {
    // What is allowed for longer has to say for what.
    return `${index + 1} ${name}${description ? ` — ${description}` : ""}`;
  });
  for (;;) {
    const reply = (await out.ask(`${what}? (${menu.join(", ")}) `))?.trim();
    if (reply === undefined && signal.aborted) return undefined;
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
      // Live output is for screens.
      if (toolCall.confirmationRequest !== undefined || event.cursor === undefined) return;
      const reason = toolCall.result?.$case === "error" ? `: ${toolCall.result.value.message}` : "";
      const end = findCommandFailure(toolCall)?.end ?? `${toolCall.status}${reason}`;
      out.note(`[${toolCall.description ?? toolCall.toolName}] ${end}`);
      return;
    }
    case "STATE_CHANGE":
      if (event.error !== undefined) out.note(`error: ${event.error}`);
  }
}
