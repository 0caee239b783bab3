import { randomUUID } from "node:crypto";
import type {
  AgentDriver,
  Caller,
  FaceAnswerRequest,
  FaceReply,
  FaceRequest,
  QuestionAnswer,
} from "@dt/schema";
import { DONE } from "../to-face-reply.js";
import type { AnswerGate } from "./answer-gate.js";

/** The caller of requests from this terminal. Its credential lasts as long as the process. */
export const TERMINAL_CALLER = {
  user: "terminal",
  name: "terminal",
  credential: "terminal",
  role: "admin",
} as const satisfies Caller;

/** The session to which {@link handleLocal} sends requests. */
export interface LocalScope {
  readonly agent: AgentDriver;
  /** The open task, which all clients share. */
  readonly taskId: string;
  readonly gate: AnswerGate;
}

/** Sends a request of the terminal to the agent of this process. */
export async function handleLocal(request: FaceRequest, scope: LocalScope): Promise<FaceReply> {
  const { agent, taskId, gate } = scope;
  switch (request.type) {
    case "prompt":
      await agent.prompt(
        { messageId: randomUUID(), taskId, parts: request.parts },
        TERMINAL_CALLER,
      );
      return DONE;
    case "withdraw": {
      const isChanged = await agent.withdraw(request.messageId, TERMINAL_CALLER);
      return { type: "changed", isChanged };
    }
    case "command": {
      const { path, args } = request;
      const command = { messageId: randomUUID(), taskId, path, args };
      const { ticket, message } = await agent.runCommand(command, TERMINAL_CALLER);
      return ticket === undefined ? { type: "refused", message } : DONE;
    }
    case "answer":
      return await answer(request, scope);
    case "hold-answer":
      gate.holdOthers(request.toolCallId);
      return DONE;
    case "cancel":
      await agent.cancel(taskId, TERMINAL_CALLER);
      // Queued prompts stay in the queue and run next, so no prompt is withdrawn.
      return { type: "cancelled", withdrawn: [] };
  }
}

async function answer(request: FaceAnswerRequest, { agent, gate }: LocalScope): Promise<FaceReply> {
  const answers = [toConfirmation(request)];
  const [verdict] = await gate.pass(request.toolCallId, () =>
    agent.answer({ answers }, TERMINAL_CALLER),
  );
  if (verdict === undefined) throw new Error("the agent gave no verdict on the answer");
  if (verdict.accepted) return DONE;
  if (verdict.reason === "unknown") {
    const message = "the question is no longer open";
    return { type: "refused", code: "confirmation-not-found", message };
  }
  const { answeredBy, selectedOptionId } = verdict;
  return { type: "answered-before", answeredBy, selectedOptionId };
}

function toConfirmation(request: FaceAnswerRequest): QuestionAnswer {
  const { toolCallId, optionId, newContent, reason } = request;
  return {
    toolCallId,
    selectedOptionId: optionId,
    modifiedDetails:
      newContent === undefined ? undefined : { $case: "fileDetails", value: { newContent } },
    ...(reason !== undefined && { reason }),
  };
}
