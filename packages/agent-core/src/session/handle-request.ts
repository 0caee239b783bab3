import type {
  AnswerRequest,
  AnswerVerdict,
  Caller,
  SessionReply,
  SessionRequest,
} from "@dt/schema";
import { recordAccess } from "../record/access-records.js";
import { findOpenCall } from "../record/calls/open-call.js";
import { createTask } from "../record/task-records.js";
import { acceptPrompt, retry, steer, withdraw } from "./accept-prompt.js";
import { answerQuestion } from "./answer-question.js";
import { cancelTaskWork, finish } from "./cancel-work.js";
import { forgetPermissions, listPermissions } from "./permissions.js";
import type { SessionParts } from "./session-parts.js";
import { startCommand } from "./start-command.js";

/** Handles one request to a session. Throws a ProtocolError if the request is refused. */
export async function handleRequest(
  request: SessionRequest,
  caller: Caller,
  parts: SessionParts,
): Promise<SessionReply> {
  parts.lifetime.checkOpen();
  switch (request.type) {
    case "prompt": {
      const { type: _, ...prompt } = request;
      return { type: "ticket", ticket: await acceptPrompt(prompt, caller, parts) };
    }
    case "steer": {
      const { type: _, ...prompt } = request;
      return { type: "ticket", ticket: await steer(prompt, caller, parts) };
    }
    case "retry": {
      const ticket = await retry(parts);
      return { type: "ticket", ...(ticket !== undefined && { ticket }) };
    }
    case "open-task":
      return { type: "ticket", ticket: await createTask(parts.recorder, request, caller) };
    case "withdraw":
      return changedReply(await withdraw(request.messageId, parts));
    case "cancel":
      return changedReply(await cancelTaskWork(request.taskId, parts));
    case "finish":
      return changedReply(await finish(parts));
    case "announce-access":
      return changedReply(await recordAccess(parts.recorder, request.access));
    case "forget-permissions":
      return changedReply(await forgetPermissions(request.numbers, caller, parts));
    case "answer":
      return { type: "answered", verdicts: await answerAll(request, caller, parts) };
    case "command":
      return await startCommand(request, caller, parts);
    case "list-commands":
      return { type: "commands", commands: parts.engine.commands.list() };
    case "list-permissions":
      return { type: "permissions", permissions: listPermissions(parts) };
    case "get-metadata":
      return { type: "metadata", metadata: parts.engine.metadata(parts.recorder.state) };
    case "get-modes": {
      const { modes } = parts;
      const { credential } = caller;
      const others = modes.others(credential);
      return {
        type: "modes",
        mode: modes.find(credential),
        startMode: modes.find(undefined),
        others,
      };
    }
  }
}

function changedReply(isChanged: boolean): SessionReply {
  return { type: "changed", isChanged };
}

// Handles all answers of a request. `answerQuestion` appends its change before its first await, so that the
// ledger can store all answers in one commit.
async function answerAll(
  request: AnswerRequest,
  caller: Caller,
  parts: SessionParts,
): Promise<readonly AnswerVerdict[]> {
  return await Promise.all(
    request.answers.map((confirmation) => {
      const { turn } = parts.recorder.state;
      const isOtherTask = request.taskId !== undefined && turn?.prompt.taskId !== request.taskId;
      const isOpen = findOpenCall(turn, confirmation.toolCallId) !== undefined;
      if (isOtherTask && isOpen) return { accepted: false, reason: "unknown" } as const;
      return answerQuestion({ confirmation, caller, request, parts });
    }),
  );
}
