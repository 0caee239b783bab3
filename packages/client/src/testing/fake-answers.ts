import { type Origin, ProtocolError, type ToolCall, type ToolCallConfirmation } from "@dt/schema";

/** The first answer to a question. */
export interface WinningAnswer {
  readonly origin: Origin;
  readonly selectedOptionId: string;
}

/** Throws the same error as our server if a question does not exist or does not allow this answer. */
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

/** Creates the error for an answer to a question that does not exist. */
export function notAsked(toolCallId: string): ProtocolError {
  return new ProtocolError(
    "confirmation-not-found",
    `no question of the tool call ${toolCallId} is open`,
  );
}

/** Creates the error for an answer that was not the first. */
export function lostRace(toolCallId: string, won: WinningAnswer): ProtocolError {
  const { origin: answeredBy, selectedOptionId } = won;
  return new ProtocolError(
    "confirmation-closed",
    `the question of the tool call ${toolCallId} was already answered by ${answeredBy.name} with ${selectedOptionId}`,
    { data: { toolCallId, answeredBy, selectedOptionId } },
  );
}
