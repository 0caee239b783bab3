import {
  type AgentEvent,
  type AnswerVerdict,
  advanceToolCall,
  isGrant,
  type Origin,
  type StampedEvent,
  type ToolCall,
  type ToolCallConfirmation,
} from "@dt/schema";

/** An event of a fake agent, with its task, its turn and the state of the task. */
export type FakeEvent = AgentEvent & Pick<StampedEvent, "taskId" | "turn" | "state">;

/** A question of a fake agent. It is open until its first answer. */
interface Question {
  call: ToolCall;
  readonly taskId: string;
  readonly turn: number;
  readonly resolve: (confirmation: ToolCallConfirmation) => void;
  firstAnswer?: { readonly origin: Origin; readonly selectedOptionId: string };
}

/** The questions of a fake session. Only the first answer to a question is accepted. */
export interface FakeQuestions {
  open(call: ToolCall, turn: { taskId: string; turn: number }): Promise<ToolCallConfirmation>;
  /** Returns the calls of a task that wait for an answer. */
  waiting(taskId: string): readonly ToolCall[];
  answer(confirmation: ToolCallConfirmation, origin: Origin): Promise<AnswerVerdict>;
  /** Removes the open questions of a task. Returns their calls with the status cancelled. */
  cancel(taskId: string): readonly ToolCall[];
}

/** Creates an empty set of questions. `commit` commits events, and returns the position before them. */
export function createFakeQuestions(
  commit: (events: readonly FakeEvent[]) => Promise<number>,
): FakeQuestions {
  const questions = new Map<string, Question>();

  function waiting(taskId: string): readonly ToolCall[] {
    return [...questions.values()]
      .filter((question) => question.taskId === taskId && question.firstAnswer === undefined)
      .map(({ call }) => call);
  }

  return {
    waiting,
    open: (call, { taskId, turn }) =>
      new Promise((resolve) => {
        questions.set(call.toolCallId, { call, taskId, turn, resolve });
      }),
    async answer(confirmation, origin) {
      const { toolCallId, selectedOptionId } = confirmation;
      const question = questions.get(toolCallId);
      if (question === undefined) return { accepted: false, reason: "unknown" };
      if (question.firstAnswer !== undefined) {
        const { origin: answeredBy, selectedOptionId: first } = question.firstAnswer;
        return { accepted: false, reason: "closed", answeredBy, selectedOptionId: first };
      }
      // The first answer is set before anything is awaited, so that only one answer finds the question open.
      question.firstAnswer = { origin, selectedOptionId };
      const type = isGrant(selectedOptionId) ? "start" : "cancel";
      question.call = advanceToolCall(question.call, { type });
      const { taskId, turn, call: toolCall } = question;
      const left = waiting(taskId);
      const state = left.length > 0 ? ("input-required" as const) : ("working" as const);
      const answer = { toolCallId, selectedOptionId, origin };
      const afterPosition = await commit([
        { kind: "TOOL_CALL_UPDATE", toolCall, answer, taskId, turn, state },
        ...(left.length > 0
          ? [{ kind: "STATE_CHANGE" as const, waiting: left, taskId, turn, state }]
          : []),
      ]);
      question.resolve(confirmation);
      return { accepted: true, ticket: { taskId, turn, afterPosition } };
    },
    cancel(taskId) {
      const cancelled = waiting(taskId).map((call) => advanceToolCall(call, { type: "cancel" }));
      for (const { toolCallId } of cancelled) questions.delete(toolCallId);
      return cancelled;
    },
  };
}
