import { type AgentClient, type Answer, isProtocolError, type TaskHandle } from "@dt/client";
import {
  type FaceAnswerRequest,
  type FaceCommandRequest,
  type FacePort,
  type FaceReply,
  type FaceRequest,
  isOwnOrigin,
  isTerminalState,
  isUnfinished,
  type Origin,
  openQuestions,
  type Part,
  type QueuedPrompt,
  textOf,
} from "@dt/schema";
import { DONE } from "../to-face-reply.js";
import type { RemoteConversation } from "./remote-conversation.js";
import { hasPrompt } from "./remote-state.js";
import { parseSharing } from "./sharing/parse-sharing.js";
import { runSharing } from "./sharing/run-sharing.js";

/** The session to which {@link handleRemote} sends requests. */
export interface RemoteScope {
  readonly client: Pick<AgentClient, "run" | "followsSessions" | "sharing">;
  /** Address of the server, for links. */
  readonly url: string;
  readonly handle: TaskHandle;
  readonly conversation: RemoteConversation;
  /** Origin of this face's prompts. */
  readonly own: Partial<Origin>;
  readonly signal: AbortSignal;
  readonly states: FacePort["states"];
  /** Reads the mode and the number of clients again, because a command may have changed them. */
  refresh(): Promise<void>;
}

/** Sends a request to the agent of another process. */
export async function handleRemote(request: FaceRequest, scope: RemoteScope): Promise<FaceReply> {
  switch (request.type) {
    case "prompt":
      return await prompt(request.parts, scope);
    case "withdraw":
      return { type: "changed", isChanged: false };
    case "command":
      return await runCommand(request, scope);
    case "answer":
      return await answer(request, scope);
    case "hold-answer":
      return DONE;
    case "cancel":
      return { type: "cancelled", withdrawn: await cancel(scope) };
  }
}

async function prompt(parts: readonly Part[], scope: RemoteScope): Promise<FaceReply> {
  const { client, handle, conversation, signal } = scope;
  const text = textOf(parts);
  conversation.advance({ type: "send", text });
  try {
    await handle.prompt(parts, { signal });
  } finally {
    conversation.advance({ type: "sent", text });
  }
  if (client.followsSessions) return DONE;
  const sent = handle.view().items.findLast(({ event }) => event.kind === "USER_PROMPT")?.event;
  // If the prompt began another task, no event of the followed task contains the prompt, so it is added to
  // the conversation here.
  if (sent?.kind === "USER_PROMPT" && handle.taskId !== conversation.state.view.taskId) {
    conversation.showPrompt(sent.messageId, text);
  }
  conversation.follow();
  return DONE;
}

async function runCommand(command: FaceCommandRequest, scope: RemoteScope): Promise<FaceReply> {
  const { client, handle, conversation, signal, refresh } = scope;
  const { path, args } = command;
  const sharing = parseSharing({ path, args });
  if (sharing !== undefined) {
    const lines = await runSharing(sharing, { ...scope, contextId: handle.contextId });
    return { type: "told", lines };
  }
  const run = await client.run(path, args, { contextId: handle.contextId, signal });
  if (run.task === undefined) return { type: "refused", message: run.message };
  try {
    await conversation.followCommand(run.task, `/${[...path, args].join(" ")}`.trimEnd());
  } finally {
    await refresh();
  }
  return DONE;
}

async function answer(request: FaceAnswerRequest, scope: RemoteScope): Promise<FaceReply> {
  const { handle, conversation, signal } = scope;
  const { toolCallId } = request;
  const given = toGivenAnswer(request);
  const { running } = conversation;
  const isCommand = running !== undefined && isAskedIn(running, toolCallId);
  const asking = isCommand ? running : handle;
  const result = await asking.answer({ toolCallId }, given, { signal });
  conversation.follow();
  if (result.accepted) return DONE;
  const { answeredBy, selectedOptionId } = result;
  return { type: "answered-before", answeredBy, selectedOptionId };
}

function toGivenAnswer({ optionId, newContent, reason }: FaceAnswerRequest): Answer {
  if (newContent !== undefined) return { newContent };
  return reason === undefined ? optionId : { optionId, reason };
}

/** Cancels the turn; resolves with the texts of this face's queued prompts that were cancelled too. */
async function cancel(scope: RemoteScope): Promise<readonly string[]> {
  const { handle, conversation, own, signal } = scope;
  const { running } = conversation;
  // If a turn runs, only the turn is cancelled. A command that runs beside the turn continues, and so does a
  // command that waits for the end of the turn. If no turn runs, the command is cancelled.
  const isTurn = running === undefined || isUnfinished(handle.view());
  const isOwn = ({ origin }: QueuedPrompt) => origin !== undefined && isOwnOrigin({ own }, origin);
  const waiting = isTurn ? conversation.state.view.queue.filter(isOwn) : [];
  await (isTurn ? handle : running)?.cancel({ signal }).catch(ignoreEnded);
  return await findWithdrawn(waiting, scope);
}

/** Finds the queued prompts that were cancelled with their task before they ran. */
async function findWithdrawn(
  waiting: readonly QueuedPrompt[],
  { states, signal, conversation }: RemoteScope,
): Promise<readonly string[]> {
  const isNotShown = ({ messageId }: QueuedPrompt) =>
    !hasPrompt(conversation.state.view, messageId);
  for await (const { view } of states(signal)) {
    if (isTerminalState(view.state) || !waiting.some(isNotShown)) break;
  }
  return waiting.filter(isNotShown).map(({ text }) => text);
}

function isAskedIn(task: TaskHandle, toolCallId: string): boolean {
  return openQuestions(task.view()).some((question) => question.toolCallId === toolCallId);
}

/** Ignores the refusal to cancel a turn that has already ended. */
function ignoreEnded(reason: unknown): void {
  if (!isProtocolError(reason) || reason.code !== "task-not-cancelable") throw reason;
}
