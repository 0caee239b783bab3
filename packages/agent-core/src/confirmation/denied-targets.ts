import path from "node:path";
import type { Action } from "../tools/action.js";
import { isBelow } from "../workspace/follow-links.js";
import { commandTargets, isUnclear, touchedByCommand } from "./command-targets.js";

/**
 * Returns the targets of an action, such as `edit:/w/a.txt`. After the action is rejected, no call of the
 * same turn may touch them.
 *
 * Actions do not contain the input of a call. After a rejected MCP call, all calls of the same tool are
 * therefore refused. After a rejected action of the type `other`, all calls with the same name and target are
 * refused.
 */
export function targetsOf(action: Action): readonly string[] {
  switch (action.type) {
    case "read":
    case "edit":
      return [`${action.type}:${action.path}`];
    case "execute":
      return commandTargets(action);
    case "fetch":
      return [`fetch:${normalUrl(action.url)}`];
    case "mcp":
      return [`mcp:${JSON.stringify([action.serverName, action.toolName])}`];
    case "other":
      return [`other:${JSON.stringify([action.name, action.target])}`];
  }
}

/** Finds a rejected target that one of these actions touches. Returns undefined if there is none. */
export function findDeniedTarget(
  actions: readonly Action[],
  denied: readonly string[],
): string | undefined {
  const touched = new Set(actions.flatMap(touchedBy));
  return denied.find(
    (target) => touched.has(target) || actions.some((action) => mayTouch(action, target)),
  );
}

/** A call that is refused because of an earlier rejection. */
export interface DeniedCall {
  readonly actions: readonly Action[];
  /** The root of the workspace. */
  readonly root: string;
}

/**
 * Explains to the model and the person why a call is refused. The text names a file only if the file and all
 * paths of the call are inside the workspace, because the model must not learn the targets of links.
 */
export function explainDenial(target: string, { actions, root }: DeniedCall): string {
  const isInside = actions.every((action) => !("isInside" in action) || action.isInside);
  const nameFile = (file: string) => (isInside && isBelow(root, file) ? file : "this file");
  return `the person rejected ${describe(target, nameFile)} in this turn; do not try it in another way: continue without it, or ask the person`;
}

function describe(target: string, nameFile: (file: string) => string): string {
  const [type, rest] = splitOnce(target);
  switch (type) {
    case "edit":
      return `a change of ${nameFile(rest)}`;
    case "read":
      return `a read of ${nameFile(rest)}`;
    case "fetch":
      return `a request to ${rest}`;
    case "command":
      return `the command ${joinWords(rest)}`;
    case "text":
      return "this command";
    default:
      return `the call ${joinWords(rest)}`;
  }
}

function joinWords(json: string): string {
  const list: readonly (string | null)[] = JSON.parse(json);
  return list.map((word) => word ?? "…").join(" ");
}

function touchedBy(action: Action): readonly string[] {
  if (action.type === "execute") return touchedByCommand(action).map(withNormalUrl);
  // An edit also reads the file.
  if (action.type === "edit") return [...targetsOf(action), `read:${action.path}`];
  return targetsOf(action);
}

function mayTouch(action: Action, target: string): boolean {
  if (action.type !== "execute" || !/^(edit|read):/.test(target)) return false;
  return isUnclear(action) && action.command.includes(path.basename(splitOnce(target)[1]));
}

function withNormalUrl(target: string): string {
  const [type, rest] = splitOnce(target);
  return type === "fetch" ? `fetch:${normalUrl(rest)}` : target;
}

function normalUrl(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = "";
  return url.href;
}

function splitOnce(target: string): readonly [string, string] {
  const colon = target.indexOf(":");
  return [target.slice(0, colon), target.slice(colon + 1)];
}
