import { type Origin, ProtocolError, type ToolCall, type ToolCallConfirmation } from "@dt/schema";

/** The answer that was first. */
export interface WonAnswer {
  readonly origin: Origin;
  readonly selectedOptionId: string;
}

/** Throws what the server does where a question was never asked, or has no such answer. */
export function checkAnswer(
  question: ToolCall | undefined,
  { toolCallId, selectedOptionId, modifiedDetails }: ToolCallConfirmation,
): void {
  if (question === undefined) throw notAsked(toolCallId);
  const { options = [], details } = question.confirmationRequest ?? {};
  const offered = options.map(({ id }) => id);
  if (!offered.includes(selectedOptionId)) {
    throw new ProtocolError(
      "invalid-message",
      `selected_option_id: the tool call ${toolCallId} has no option ${selectedOptionId}, only ${offered.join(", ")}`,
    );
  }
  if (modifiedDetails !== undefined && details?.$case !== "fileEditDetails") {
    throw new ProtocolError(
      "invalid-message",
      "file_details: this question has no content to edit",
    );
  }
}

/** Nobody asked that. */
export function notAsked(toolCallId: string): ProtocolError {
  return new ProtocolError(
    "confirmation-not-found",
    `no question of the tool call ${toolCallId} is open`,
  );
}

/** Somebody else was first. */
export function lostRace(toolCallId: string, won: WonAnswer): ProtocolError {
  const { origin: answeredBy, selectedOptionId } = won;
  return new ProtocolError(
    "confirmation-closed",
    `the question of the tool call ${toolCallId} was already answered by ${answeredBy.name} with ${selectedOptionId}`,
    { data: { toolCallId, answeredBy, selectedOptionId } },
  );
}
