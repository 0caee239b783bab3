import { parseCommandLine } from "@dt/agent-core";
import {
  type FaceAnswerRequest,
  type FaceCommandRequest,
  type FaceReply,
  OPTION_IDS,
  type QueuedPrompt,
  type ToolCall,
} from "@dt/schema";
import type { PromptHistory } from "../../prompt/prompt-history.js";
import type { ScreenSession } from "../../session/screen-session.js";
import type { CliEnvironment } from "../../variables.js";
import type { Effect } from "../state/effect.js";
import { findHostCommand, type HostCommand, type TypedHostCommand } from "../state/host-command.js";
import { isLeaveCommand, screenHelpLines } from "../state/screen-commands.js";
import { editProposal } from "./edit-proposal.js";

/** Functions of the screen and the session that effects use. */
export interface EffectScope {
  readonly session: ScreenSession;
  readonly prompts: PromptHistory;
  readonly environment: CliEnvironment;
  /** Commands that this process performs itself. */
  readonly hostCommands: readonly HostCommand[];
  /** Sends a prompt with the files that it mentions. */
  sendPrompt(text: string): Promise<FaceReply>;
  /** Prints a notice for the person. */
  showNotice(text: string, kind: "note" | "error"): void;
  /** Prints rows dark on a light background. */
  showPicture(rows: readonly string[]): void;
  /** Gives the terminal to another program until the work is done. */
  lend<TResult>(work: () => Promise<TResult>): Promise<TResult>;
  /** Makes a question answerable again, because the answer was not accepted. */
  reopenQuestion(toolCallId: string): void;
  /** Puts a text into the input field, before any text that is there. */
  putBack(text: string): void;
  openPager(): Promise<void>;
  suspend(): void;
  redraw(): void;
  leave(exitCode: number): void;
}

/** Performs an effect; resolves when it is done. */
export async function performEffect(effect: Effect, scope: EffectScope): Promise<void> {
  switch (effect.type) {
    case "submit":
      return await submit(effect.text, scope);
    case "withdraw":
      return await withdraw(effect.prompt, scope);
    case "answer": {
      const { type: _, ...request } = effect;
      return await answer(request, scope);
    }
    case "edit-proposal":
      return await edit(effect.toolCall, scope);
    case "cancel":
      return await cancel(scope);
    case "keep-draft":
      return scope.prompts.addDraft(effect.text);
    case "set-mode":
      return await run({ path: ["mode"], args: effect.mode }, scope);
    case "open-pager":
      return await scope.openPager();
    case "suspend":
      return scope.suspend();
    case "redraw":
      return scope.redraw();
    case "leave":
      return scope.leave(effect.exitCode);
  }
}

async function submit(text: string, scope: EffectScope): Promise<void> {
  const { session, prompts, leave } = scope;
  prompts.add(text);
  if (isLeaveCommand(text)) return leave(0);
  const { hostCommands } = scope;
  const help = screenHelpLines(text, hostCommands);
  const showHelp = () => {
    for (const line of help) scope.showNotice(line, "note");
  };
  // `/help quit` is not sent, because the agent does not know the commands of the screen.
  if (help.length > 0 && text.trim() !== "/help") return showHelp();
  const known = session.state().commands;
  const typed = findHostCommand(text, hostCommands, known);
  if (typed !== undefined) return await runHostCommand(typed, scope);
  const command = known.length === 0 ? undefined : parseCommandLine(text, known);
  if (command === undefined) throwIfRefused(await scope.sendPrompt(text));
  else await run(command, scope);
  showHelp();
}

async function runHostCommand(
  { host, args }: TypedHostCommand,
  { showNotice, showPicture }: EffectScope,
): Promise<void> {
  const { text, picture = [] } = await host.run(args);
  showPicture(picture);
  showNotice(text, "note");
}

async function run(
  { path, args }: Omit<FaceCommandRequest, "type">,
  { session, showNotice }: EffectScope,
): Promise<void> {
  const reply = throwIfRefused(await session.face.handle({ type: "command", path, args }));
  if (reply.type === "refused") showNotice(reply.message, "error");
  if (reply.type === "told") for (const line of reply.lines) showNotice(line, "note");
}

async function cancel({ session, showNotice, putBack }: EffectScope): Promise<void> {
  const reply = throwIfRefused(await session.face.handle({ type: "cancel" }));
  if (reply.type !== "cancelled" || reply.withdrawn.length === 0) return;
  putBack(reply.withdrawn.join("\n"));
  showNotice(
    "your queued prompts were cancelled with the turn and are in the input field again",
    "note",
  );
}

async function withdraw(
  { messageId, text }: QueuedPrompt,
  { session, showNotice, putBack }: EffectScope,
): Promise<void> {
  const reply = throwIfRefused(await session.face.handle({ type: "withdraw", messageId }));
  if (reply.type === "changed" && reply.isChanged) putBack(text);
  else showNotice("too late, that prompt is already running", "note");
}

async function answer(
  request: Omit<FaceAnswerRequest, "type">,
  { session, showNotice, reopenQuestion }: EffectScope,
): Promise<void> {
  let isAccepted = false;
  try {
    const reply = throwIfRefused(await session.face.handle({ ...request, type: "answer" }));
    isAccepted = reply.type === "done";
    if (reply.type === "answered-before") {
      const { name, principal } = reply.answeredBy;
      showNotice(`${name || principal} answered first: ${reply.selectedOptionId}`, "error");
    }
  } finally {
    if (!isAccepted) reopenQuestion(request.toolCallId);
  }
}

/** Throws if the request was refused with an error code. A command may be refused without a code. */
function throwIfRefused(reply: FaceReply): FaceReply {
  if (reply.type === "refused" && reply.code !== undefined) throw new Error(reply.message);
  return reply;
}

async function edit(toolCall: ToolCall, scope: EffectScope): Promise<void> {
  const details = toolCall.confirmationRequest?.details;
  if (details?.$case !== "fileEditDetails") return;
  const outcome = await scope.lend(() => editProposal(details.value, scope.environment));
  if (outcome.type === "failed") return scope.showNotice(outcome.reason, "error");
  if (outcome.type === "unchanged") {
    return scope.showNotice("nothing was changed; the question is still open", "note");
  }
  if (outcome.type === "emptied") {
    return scope.showNotice(
      "the file was left empty, so the edit is discarded; the question is still open",
      "note",
    );
  }
  const { toolCallId } = toolCall;
  const { newContent } = outcome;
  await answer({ toolCallId, optionId: OPTION_IDS.proceedOnce, newContent }, scope);
}
