import type { SessionReply, SessionRequest, Ticket } from "@dt/schema";

/** Returns the reply to a message that was accepted, from the ticket in its receipt. Pure. */
export function toReceiptReply(
  request: SessionRequest,
  { taskId, turn, afterPosition }: Ticket,
): SessionReply {
  const ticket = { taskId, turn, afterPosition };
  if (request.type !== "answer") return { type: "ticket", ticket };
  return {
    type: "answered",
    verdicts: request.answers.map(() => ({ accepted: true, ticket })),
  };
}
