import { openQuestions, type Question, type TaskView, TURN_CANCELLED, textOf } from "@dt/schema";

/** State of the current turn of a conversation. The turn of an idle task is over. */
export type Turn =
  /** The agent works, or a prompt is queued. */
  | { readonly status: "running" }
  /** The agent waits for an answer. */
  | { readonly status: "asking"; readonly questions: readonly [Question, ...Question[]] }
  /** The turn is over. Its task has ended, or is idle until the next prompt. */
  | { readonly status: "completed" }
  /**
   * `failed`: the agent gave up, refused the task or needs a sign-in outside of the conversation.
   * `canceled`: a client cancelled the turn.
   */
  | { readonly status: "failed" | "canceled"; readonly error?: string };

/**
 * Computes the state of the current turn. The turn is over if its task has ended, or if the agent
 * left the task idle.
 */
export function turnOf(view: TaskView): Turn {
  const { state, error, queue } = view;
  const [first, ...others] = openQuestions(view);
  if (first !== undefined) return { status: "asking", questions: [first, ...others] };
  const isIdle = state === "input-required" && queue.length === 0;
  if (state === "completed" || (isIdle && error === undefined)) return { status: "completed" };
  if (isIdle && error === TURN_CANCELLED) return { status: "canceled" };
  const errorField = error === undefined ? {} : { error };
  if (state === "canceled") return { status: state, ...errorField };
  if (state === "rejected" || state === "auth-required") {
    return {
      status: "failed",
      error: error ?? (textOf(view.statusParts ?? []) || `the task is ${state}`),
    };
  }
  return state === "failed" || isIdle ? { status: "failed", ...errorField } : { status: "running" };
}
