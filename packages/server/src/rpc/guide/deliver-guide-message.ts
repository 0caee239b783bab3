import { type Caller, ProtocolError } from "@dt/schema";
import { decodeGuideMessage, type GuideMessage } from "@dt/schema/wire";
import { checkIds } from "../messages/check-ids.js";
import { digestContent, repeatedId } from "../messages/content-digest.js";
import { deliverAnswers } from "../messages/deliver-answers.js";
import { type Delivery, isElsewhere } from "../messages/send-message.js";
import type { RpcServices } from "../rpc-context.js";
import type { SharedSession } from "../tasks/shared-session.js";

/** Who sends a message in the guide's words, and to which session. */
export interface GuideSender {
  readonly services: RpcServices;
  readonly caller: Caller;
  /** The session that it is for; for a prompt it may be made, for an answer it must be there. */
  findSession(type: GuideMessage["type"]): Promise<SharedSession>;
  /** The cursor that the sender saw last, where it sends the message again. */
  readonly after?: string | undefined;
}

/**
 * Brings a message in the guide's words to its session, as the next turn or as an answer. A message
 * that was taken before, or is being taken, is not taken again. (GUIDE 3, 4; LOG-05)
 */
export async function deliverGuideMessage(params: unknown, sender: GuideSender): Promise<Delivery> {
  const { services, caller } = sender;
  const { messageId = services.createId(), ...message } = decodeGuideMessage(params);
  checkIds({ messageId, taskId: message.taskId });
  const key = JSON.stringify([caller.user, messageId]);
  const { taskId: _, ...content } = message;
  const digest = digestContent(content);
  const delivery = await services.inFlight.share(key, () =>
    deliverOnce(message, { messageId, digest }, sender),
  );
  if (delivery.type === "turn" && delivery.digest !== digest) throw repeatedId(messageId);
  return delivery;
}

interface MessageName {
  readonly messageId: string;
  /** Digest of the message's content. */
  readonly digest: string;
}

async function deliverOnce(
  message: GuideMessage,
  name: MessageName,
  sender: GuideSender,
): Promise<Delivery> {
  const { caller } = sender;
  const { messageId, digest } = name;
  const repeated = await findRepeated(name, sender);
  if (repeated !== undefined) return repeated;
  const { host, taskId } = await sender.findSession(message.type);
  if (message.taskId !== undefined && message.taskId !== taskId) {
    throw new ProtocolError("task-not-found", `there is no task ${message.taskId}`);
  }
  const base = { type: "turn", host, messageId, digest, isNewTask: false } as const;
  if (message.type === "confirmation") {
    const { confirmations } = message;
    // By the id of the call alone: a command that someone runs beside the task may ask as well.
    return {
      ...base,
      ...(await deliverAnswers({ host, confirmations, caller, messageId, digest })),
    };
  }
  const { parts } = message;
  return { ...base, ...(await host.agent.prompt({ messageId, taskId, parts, digest }, caller)) };
}

async function findRepeated(
  { messageId, digest }: MessageName,
  { services, caller, after }: GuideSender,
): Promise<Delivery | undefined> {
  const receipt = await services.sessions.findReceipt(caller, messageId);
  if (receipt === undefined || (await isElsewhere(receipt, services))) return undefined;
  if ((receipt.digest ?? digest) !== digest) throw repeatedId(messageId);
  const { taskId, turn, afterPosition } = receipt;
  const { host } = (await services.shared?.()) ?? (await services.sessions.getTask(taskId, caller));
  const heard = after !== undefined && { heard: await host.log.locate(after) };
  const base = { type: "turn", host, taskId, messageId, digest, isNewTask: false } as const;
  return { ...base, turn, afterPosition, ...heard };
}
