import {
  type AgentCall,
  type AgentCallAnswer,
  type AskedQuestion,
  isTerminalStatus,
  OPTION_IDS,
  openQuestions,
  type Question,
  type TaskView,
  type ToolCall,
} from "@dt/schema";
import type { TaskHandle } from "../task/task-handle.js";

/** Passes the questions of a called agent to the person here, and the person's answers to the agent. */
export interface QuestionRelay {
  /**
   * Asks the person the new questions in the view, and withdraws the questions that were answered
   * elsewhere.
   */
  follow(view: TaskView): void;
  /** Number of questions that wait for an answer here. */
  readonly waiting: number;
  /** Rejects when an answer could not be passed on. */
  readonly failed: Promise<never>;
  /** Withdraws all questions. */
  close(): void;
}

/** One question that was passed on. */
interface Relayed {
  readonly asked: AskedQuestion;
  /** Set once the person here has permitted the step. */
  granted?: Extract<AgentCallAnswer, { isGranted: true }>;
  isWaiting: boolean;
  isWithdrawn: boolean;
}

/** Creates the relay of one call. `changed` is called when a question opens or closes. */
export function createQuestionRelay(
  task: Pick<TaskHandle, "answer">,
  call: Pick<AgentCall, "ask">,
  changed: () => void,
): QuestionRelay {
  const relayed = new Map<string, Relayed>();
  let fail: (reason: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Nobody may be waiting for this promise when it rejects. This handler keeps Node from reporting an
  // unhandled rejection.
  failed.catch(() => {});

  function withdraw(entry: Relayed): void {
    if (!entry.isWaiting) return;
    entry.isWithdrawn = true;
    entry.asked.withdraw();
  }

  async function relay(question: Question, entry: Relayed): Promise<void> {
    try {
      const answer = await entry.asked.answer.finally(() => {
        entry.isWaiting = false;
        changed();
      });
      if (!answer.isGranted) {
        const { reason } = answer;
        await task.answer(question, reason === undefined ? OPTION_IDS.cancel : { reason });
        return;
      }
      entry.granted = answer;
      // If another client answered first, the tool call's next update has that answer, so the result is
      // ignored here.
      const { newContent } = answer;
      await task.answer(
        question,
        newContent === undefined ? OPTION_IDS.proceedOnce : { newContent },
      );
    } catch (reason) {
      if (!entry.isWithdrawn) fail(reason);
    }
  }

  return {
    failed,
    get waiting() {
      return [...relayed.values()].filter(({ isWaiting }) => isWaiting).length;
    },
    follow(view) {
      const open = openQuestions(view);
      for (const question of open) {
        if (relayed.has(question.toolCallId)) continue;
        const asked = call.ask({ type: "tool-call", toolCall: question });
        const entry: Relayed = { asked, isWaiting: true, isWithdrawn: false };
        relayed.set(question.toolCallId, entry);
        changed();
        void relay(question, entry);
      }
      for (const [id, entry] of relayed) {
        if (open.some(({ toolCallId }) => toolCallId === id)) continue;
        withdraw(entry);
        void finishStep(entry, findCall(view, id));
      }
    },
    close() {
      for (const entry of relayed.values()) withdraw(entry);
    },
  };
}

/** Reports the end of a step that the person here permitted. */
async function finishStep(entry: Relayed, toolCall: ToolCall | undefined): Promise<void> {
  const { granted } = entry;
  if (granted === undefined || toolCall === undefined || !isTerminalStatus(toolCall.status)) return;
  delete entry.granted;
  const { result } = toolCall;
  const end =
    result?.$case === "output"
      ? ({ type: "succeed", output: result.value } as const)
      : ({ type: "fail", error: result?.value ?? CANCELLED } as const);
  // The error is ignored, because the call may have ended here meanwhile, and its steps with it.
  await granted.finish(end).catch(() => {});
}

const CANCELLED = { message: "the agent cancelled this step", type: "cancelled" };

function findCall(view: TaskView, toolCallId: string): ToolCall | undefined {
  const item = view.items.findLast(
    ({ event }) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolCallId === toolCallId,
  );
  return item?.event.kind === "TOOL_CALL_UPDATE" ? item.event.toolCall : undefined;
}
