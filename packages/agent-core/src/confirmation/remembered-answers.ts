import type { Action } from "../tools/action.js";

/** An "always" that someone chose. */
export interface RememberedAnswer {
  /** Whose prompts it covers. */
  readonly principal: string;
  /** The turn in which it was given: it covers the rest of that one too, whoever prompted it. */
  readonly turn: number;
  readonly scope: string;
}

/** What an "always" for an action covers, as a key and as words. */
export function scopeOf(action: Action): { readonly scope: string; readonly words: string } {
  if (action.type !== "read" && action.type !== "edit") {
    return { scope: action.type, words: `calls of ${action.type}` };
  }
  const place = action.isInside ? "inside the workspace" : "outside the workspace";
  const verb = action.type === "edit" ? "edits" : "reads";
  const scope = `${action.type}:${action.isInside ? "inside" : "outside"}`;
  return { scope, words: `${verb} ${place}` };
}

/** Whether a remembered answer covers an action of a turn. */
export function isRemembered(
  answers: readonly RememberedAnswer[],
  action: Action,
  turn: { readonly number: number; readonly principal: string },
): boolean {
  const { scope } = scopeOf(action);
  return answers.some(
    (answer) =>
      answer.scope === scope &&
      (answer.principal === turn.principal || answer.turn === turn.number),
  );
}
