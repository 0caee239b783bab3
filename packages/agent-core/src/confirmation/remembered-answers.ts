import type { Action } from "../tools/action.js";
import { executeScopes } from "./execute-scopes.js";
import { type Scope, scopeKey, toScope } from "./scope.js";

/** An "always" answer, as the journal stores it. */
export interface RememberedAnswer {
  /** User who gave the answer. The answer applies to all turns that this user prompts. */
  readonly principal: string;
  /** Turn in which the answer was given. The answer applies to this turn, even if another user prompted it. */
  readonly turn: number;
  readonly scope: string;
  /** Description of the scope. */
  readonly words?: string;
  /** Name to show for the user. */
  readonly name?: string;
  /** Description of the call that asked. */
  readonly asked?: string;
}

/** An "always" answer that applies until it is removed. */
export interface NumberedAnswer extends RememberedAnswer {
  readonly words: string;
  readonly name: string;
  /** Numbers start at 1 in each session and are never reused. */
  readonly number: number;
}

/**
 * Returns the scopes of an action. The action needs no question if all of them are remembered. The list is
 * empty if the action must ask every time.
 */
export function getRequiredScopes(action: Action): readonly Scope[] {
  if ("isProtected" in action && action.isProtected) return [];
  switch (action.type) {
    case "read":
      return [readScope(action)];
    case "edit":
      return [fileScope(action)];
    case "execute":
      return executeScopes(action);
    case "fetch":
      return fetchScopes(action.url);
    case "mcp":
      return [
        {
          scope: scopeKey("mcp", action.serverName, action.toolName),
          words: `calls of ${action.toolName} on ${action.serverName}`,
        },
      ];
    case "other":
      return [{ scope: scopeKey("other", action.name), words: `calls of ${action.name}` }];
  }
}

function fileScope({ type, path, isInside }: Action & { type: "read" | "edit" }): Scope {
  const verb = type === "edit" ? "edits" : "reads";
  if (isInside) return { scope: scopeKey(type, "inside"), words: `${verb} inside the workspace` };
  return { scope: scopeKey(type, "outside", path), words: `${verb} of ${path}` };
}

// Returns the scope of a read. A listing and a search have different scopes, because permission to list a
// directory is not permission to search all files below it.
function readScope(action: Action & { type: "read" }): Scope {
  const { path, isInside, isDeep } = action;
  if (isInside || !isDeep) return fileScope(action);
  const words = `searches of ${path} and everything below it`;
  return { scope: scopeKey("read", "outside-deep", path), words };
}

function fetchScopes(address: string): readonly Scope[] {
  const host = URL.canParse(address) ? new URL(address).host : "";
  return host === "" ? [] : [{ scope: scopeKey("fetch", host), words: `requests to ${host}` }];
}

/** Returns the scopes to store if a call is answered with "always"; empty if "always" is not possible. */
export function getAlwaysScopes(actions: readonly Action[]): readonly Scope[] {
  // Reads inside the workspace never ask, so they need no scope.
  const asked = actions.filter((action) => action.type !== "read" || !action.isInside);
  const scopes = asked.map(getRequiredScopes);
  if (scopes.some((list) => list.length === 0)) return [];
  return [...new Map(scopes.flat().map((scope) => [scope.scope, scope])).values()];
}

/** Describes the scope of an "always" for a call. Returns undefined if "always" is not possible. */
export function describeAlways(actions: readonly Action[]): string | undefined {
  const words = getAlwaysScopes(actions).map((scope) => scope.words);
  if (words.length === 0) return undefined;
  const last = words.at(-1);
  const list = words.length === 1 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
  return `${list}, for the rest of this turn and in later turns that you prompt`;
}

/** Numbers an answer. Fields that an earlier version did not store are derived from stored fields. */
export function toNumberedAnswer(given: RememberedAnswer, number: number): NumberedAnswer {
  const { scope, principal } = given;
  return { words: toScope(scope).words, name: principal, ...given, number };
}

/** Returns true if remembered answers allow an action of a turn. */
export function isRemembered(
  answers: readonly RememberedAnswer[],
  action: Action,
  turn: { readonly number: number; readonly principal: string },
): boolean {
  const scopes = getRequiredScopes(action);
  const given = answers
    .filter((answer) => answer.principal === turn.principal || answer.turn === turn.number)
    .map((answer) => answer.scope);
  return scopes.length > 0 && scopes.every(({ scope }) => given.includes(scope));
}
