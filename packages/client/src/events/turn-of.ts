import { openQuestions, type Question, type TaskView } from "@dt/schema";

/** How the current turn of a conversation stands. A task that rests without a question asks nothing. */
export type Turn =
  /** The agent works, or will when the turn comes. */
  | { readonly status: "running" }
  /** The agent cannot go on without an answer. */
  | { readonly status: "asking"; readonly questions: readonly [Question, ...Question[]] }
  /** The agent is done: its task has ended or, as a terminal's does, rests until the next prompt. */
  | { readonly status: "completed" }
  /** The agent gave up, or someone stopped it; a task that rests tells of both as `failed`. */
  | { readonly status: "failed" | "canceled"; readonly error?: string };

/** How the current turn of a conversation stands, whatever the agent does with its tasks. Pure. */
export function turnOf(view: TaskView): Turn {
  const { state, error, queue } = view;
  const [first, ...others] = openQuestions(view);
  if (first !== undefined) return { status: "asking", questions: [first, ...others] };
  const rests = state === "input-required" && queue.length === 0;
  if (state === "completed" || (rests && error === undefined)) return { status: "completed" };
  const said = error === undefined ? {} : { error };
  if (state === "canceled") return { status: state, ...said };
  return state === "failed" || rests ? { status: "failed", ...said } : { status: "running" };
}
