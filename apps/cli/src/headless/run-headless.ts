import { randomUUID } from "node:crypto";
import { parseCommandLine } from "@dt/agent-core";
import { OPTION_IDS, openQuestions, type SessionEvent, type ToolCall } from "@dt/schema";
import type { OutputFormat } from "../args.js";
import type { Cli } from "../compose.js";
import { describeAccess } from "../history/describe-access.js";
import { findShellFailure } from "../history/shell-failure.js";
import { promptParts } from "../prompt/read-mentions.js";
import { TERMINAL_CALLER } from "../session/local/handle-local.js";

/** The terminal of a run without a screen. It prints output and, if a person is present, asks questions. */
export interface HeadlessTerminal {
  /** Prints text of the agent. */
  print(text: string): void;
  /** Prints a line that is not text of the agent, such as the status of a tool call. */
  note(line: string): void;
  /** Asks the person; resolves with undefined if the person leaves. Absent if nobody can be asked. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/** Options of {@link runHeadless}. */
export interface HeadlessOptions {
  readonly output: OutputFormat;
  /** Directory whose files the prompt may mention. */
  readonly directory: string;
  /** Aborts when the person leaves. */
  readonly signal: AbortSignal;
}

/** The prompt of a run without a screen. */
export interface HeadlessPrompt {
  readonly text: string;
  /** Piped input that is appended to the text; it is not searched for commands or `@path`. */
  readonly piped: string | undefined;
}

/** Runs one prompt without a screen; resolves with true if its turn succeeded. */
export async function runHeadless(
  { live }: Pick<Cli, "live">,
  prompt: HeadlessPrompt,
  out: HeadlessTerminal,
  { output, directory, signal }: HeadlessOptions,
): Promise<boolean> {
  const view = await live.view();
  // A question that an earlier run left open would block this prompt forever.
  for (const question of openQuestions(view)) await answerQuestion(question, { live, out, signal });
  if (signal.aborted) return false;
  const { cursor } = await live.view();
  const messageId = randomUUID();
  if (!(await send(live, { ...prompt, messageId, directory }, out))) return false;
  const withdrawn = new AbortController();
  // Cancels the turn of this prompt. If the turn has not started, the prompt is withdrawn instead, because
  // the running turn belongs to someone else.
  const cancel = async () => {
    if (await live.agent.withdraw(messageId, TERMINAL_CALLER)) withdrawn.abort();
    else await live.agent.cancel(live.taskId, TERMINAL_CALLER);
  };
  const onAbort = () => void cancel();
  signal.addEventListener("abort", onAbort);
  // The person may have left while the prompt was sent.
  if (signal.aborted) onAbort();
  let isOwn = false;
  let isUnanswered = false;
  // Ids of the questions that were asked. Every change of state lists all open questions, but each is asked
  // only once.
  const asked = new Set<string>();
  try {
    const from = cursor === undefined ? {} : { after: cursor };
    for await (const batch of live.events({ ...from, signal: withdrawn.signal })) {
      for (const event of batch) {
        // Events before the event of this prompt belong to other prompts.
        isOwn ||= event.kind === "USER_PROMPT" && event.messageId === messageId;
        if (!isOwn) continue;
        if (output === "json") out.print(`${JSON.stringify(event)}\n`);
        else show(event, out);
        for (const question of questionsIn(event)) {
          if (asked.has(question.toolCallId)) continue;
          asked.add(question.toolCallId);
          isUnanswered = !(await answerQuestion(question, { live, out, signal })) || isUnanswered;
        }
        if (isEnd(event)) return event.error === undefined && !isUnanswered;
      }
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return false;
}

/** Answers a question with the person's choice, or with a refusal; resolves with true if the person chose. */
async function answerQuestion(
  question: ToolCall,
  scope: Pick<Cli, "live"> & { readonly out: HeadlessTerminal; readonly signal: AbortSignal },
): Promise<boolean> {
  const { live, out, signal } = scope;
  const chosen = signal.aborted ? undefined : await askPerson(question, out, signal);
  // A person who leaves cancels the turn, which also cancels the question.
  if (signal.aborted) return false;
  const { toolCallId } = question;
  const selectedOptionId = chosen ?? OPTION_IDS.cancel;
  await live.agent.answer(
    { answers: [{ toolCallId, selectedOptionId, modifiedDetails: undefined }] },
    TERMINAL_CALLER,
  );
  return chosen !== undefined;
}

/** Sends the text as a slash command or as a prompt. Resolves with false if the command is refused. */
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

/** True if the turn is over: its task is no longer in the state `working` and has no open question. */
function isEnd(event: SessionEvent): boolean {
  if (event.kind !== "STATE_CHANGE" || event.state === "working") return false;
  return (event.waiting ?? []).length === 0;
}

function questionsIn(event: SessionEvent): readonly ToolCall[] {
  return event.kind === "STATE_CHANGE" && event.state === "input-required"
    ? (event.waiting ?? [])
    : [];
}

/** Asks the person to choose an option. Resolves with undefined if nobody can be asked or nobody answers. */
async function askPerson(
  call: ToolCall,
  out: HeadlessTerminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = call.confirmationRequest?.options ?? [];
  const what = call.description ?? call.toolName;
  if (out.ask === undefined) {
    out.note(`${what}: refused because nobody can be asked; --yolo would allow it`);
    return undefined;
  }
  const { details } = call.confirmationRequest ?? {};
  if (details?.$case === "fileEditDetails") out.note(details.value.formattedDiff ?? "");
  const menu = options.map(({ name, description }, index) => {
    // The description of an "always" option says which later calls the option allows.
    return `${index + 1} ${name}${description ? ` — ${description}` : ""}`;
  });
  for (;;) {
    const reply = (await out.ask(`${what}? (${menu.join(", ")}) `))?.trim();
    if (reply === undefined && signal.aborted) return undefined;
    if (reply === undefined) {
      out.note(`${what}: refused because the question was left unanswered`);
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
    case "ACCESS":
      out.note(describeAccess(event.access));
      return;
    case "WARNING":
      out.note(`warning: ${event.warning.message}`);
      return;
    case "TOOL_CALL_UPDATE": {
      const { toolCall } = event;
      // Live output, which has no cursor, is only shown on a screen.
      if (toolCall.confirmationRequest !== undefined || event.cursor === undefined) return;
      const reason = toolCall.result?.$case === "error" ? `: ${toolCall.result.value.message}` : "";
      const end = findShellFailure(toolCall)?.end ?? `${toolCall.status}${reason}`;
      out.note(`[${toolCall.description ?? toolCall.toolName}] ${end}`);
      return;
    }
    case "ARTIFACT": {
      const { name, artifactId } = event.artifact;
      if (event.append !== true) out.note(`[artifact] ${name ?? artifactId}`);
      return;
    }
    case "STATE_CHANGE":
      if (event.error !== undefined) out.note(`error: ${event.error}`);
  }
}
