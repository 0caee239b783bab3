import type { Action } from "../tools/action.js";
import { executeScopes } from "./execute-scopes.js";
import { type Scope, scopeKey, toScope } from "./scope.js";

/** An "always" as it is journaled. */
export interface RememberedAnswer {
  /** Whose prompts it covers. */
  readonly principal: string;
  /** The turn in which it was given: it covers the rest of that one too, whoever prompted it. */
  readonly turn: number;
  readonly scope: string;
  /** The scope in words. */
  readonly words?: string;
  /** The name of the client that gave it. */
  readonly name?: string;
  /** The call that asked, as its question described it. */
  readonly asked?: string;
}

/** An "always" that holds until it is taken back. */
export interface NumberedAnswer extends RememberedAnswer {
  readonly words: string;
  readonly name: string;
  /** Counts from 1 in each session; a number is never used again. */
  readonly number: number;
}

/** The scopes that must all be remembered for an action; empty where it asks every time. */
export function scopesOf(action: Action): readonly Scope[] {
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

// Who lets the names in a directory be listed has not let every file below it be searched.
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

/** What an "always" for a call would be remembered as; empty where it cannot be given. */
export function findRememberableScopes(actions: readonly Action[]): readonly Scope[] {
  // Reads inside the workspace are never asked about, so nobody needs to hear of them.
  const asked = actions.filter((action) => action.type !== "read" || !action.isInside);
  const scopes = asked.map(scopesOf);
  if (scopes.some((list) => list.length === 0)) return [];
  return [...new Map(scopes.flat().map((scope) => [scope.scope, scope])).values()];
}

/** What an "always" for a call covers, as its option says it; undefined where it cannot be given. */
export function alwaysCovers(actions: readonly Action[]): string | undefined {
  const words = findRememberableScopes(actions).map((scope) => scope.words);
  if (words.length === 0) return undefined;
  const last = words.at(-1);
  const list = words.length === 1 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
  return `${list}, for the rest of this turn and in later turns that you prompt`;
}

/** Numbers an answer; what an earlier version did not write is derived from what it did. */
export function toNumberedAnswer(given: RememberedAnswer, number: number): NumberedAnswer {
  const { scope, principal } = given;
  return { words: toScope(scope).words, name: principal, ...given, number };
}

/** Whether remembered answers cover an action of a turn. */
export function isRemembered(
  answers: readonly RememberedAnswer[],
  action: Action,
  turn: { readonly number: number; readonly principal: string },
): boolean {
  const scopes = scopesOf(action);
  const given = answers
    .filter((answer) => answer.principal === turn.principal || answer.turn === turn.number)
    .map((answer) => answer.scope);
  return scopes.length > 0 && scopes.every(({ scope }) => given.includes(scope));
}
