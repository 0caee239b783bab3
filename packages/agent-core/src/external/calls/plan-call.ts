import type { ExternalCall } from "@dt/schema";
import { findShellCover } from "../../shell/cover/shell-cover.js";
import { parseShellCommand } from "../../shell/parse-shell-command.js";
import { quoteWord } from "../../shell/quote-word.js";
import { type Action, editAction } from "../../tools/action.js";
import type { ConfirmationDetails, Plan } from "../../tools/tool.js";
import type { Sandbox } from "../../workspace/processes/sandbox.js";
import { buildFileDiff } from "../../workspace/text/file-diff.js";
import type { Workspace } from "../../workspace/workspace.js";
import { displayPath } from "../display-path.js";

/** The workspace and the environment in which the calls of an external agent take effect. */
export interface PlanScope {
  readonly workspace: Workspace;
  /** The complete environment of commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sandbox of commands that the agent requests; undefined if there is none. */
  readonly sandbox?: Sandbox | undefined;
}

/** Maximum number of paths of a call that are judged one by one. */
const MAX_PATHS = 100;

/**
 * Plans a call of an external agent from the agent's description of the call. If the description has too little, or
 * more paths than can be judged, the call is an unknown action. Yolo mode allows it, plan mode refuses it, and all
 * other modes ask every time.
 */
export async function planCall(call: ExternalCall, scope: PlanScope): Promise<Plan> {
  const actions = await findActions(call, scope);
  return {
    description: titleOf(call),
    actions: actions.length > 0 ? actions : [unknownAction(call)],
    details: detailsOf(call, scope.workspace),
  };
}

async function findActions(call: ExternalCall, scope: PlanScope): Promise<readonly Action[]> {
  const { diffs = [], paths = [], kind = "other" } = call;
  const changed = diffs.map(({ path }) => path);
  const { workspace } = scope;
  const named = [...new Set([...changed, ...paths])];
  if (named.length > MAX_PATHS) return [];
  switch (kind) {
    case "edit":
    case "delete":
    case "move":
      return await editActions(named, workspace);
    case "read":
    case "search":
      // A call that shows a diff changes files, even if the agent calls it a read or a search.
      if (changed.length > 0) return await editActions(named, workspace);
      return await readActions(named, workspace, kind === "search");
    case "execute":
      return await withEdits(await executeActions(call, scope), changed, workspace);
    case "fetch":
      return await withEdits(fetchActions(call), changed, workspace);
    default:
      return [];
  }
}

async function editActions(files: readonly string[], workspace: Workspace): Promise<Action[]> {
  return await Promise.all(files.map(async (file) => editAction(await workspace.resolve(file))));
}

/**
 * Returns the call's own actions, followed by the edits that its diffs show. A call without actions of its own
 * stays unknown.
 */
async function withEdits(
  actions: readonly Action[],
  changed: readonly string[],
  workspace: Workspace,
): Promise<readonly Action[]> {
  if (actions.length === 0) return [];
  return [...actions, ...(await editActions([...new Set(changed)], workspace))];
}

function fetchActions({ input }: ExternalCall): readonly Action[] {
  return typeof input?.url === "string" ? [{ type: "fetch", url: input.url }] : [];
}

async function readActions(
  files: readonly string[],
  workspace: Workspace,
  isDeep: boolean,
): Promise<Action[]> {
  const resolved = await Promise.all(files.map((file) => workspace.resolve(file)));
  return resolved.map(({ absolute, isInside }) => ({
    type: "read",
    path: absolute,
    isInside,
    ...(isDeep && { isDeep }),
  }));
}

// The agent runs the command in a shell of its own, so "always" covers at most exactly this command.
async function executeActions(call: ExternalCall, scope: PlanScope): Promise<Action[]> {
  const command = commandOf(call);
  if (command === undefined) return [];
  const directory = (await scope.workspace.resolve(directoryOf(call) ?? ".")).absolute;
  const parts = await parseShellCommand(command);
  const shell = { ...scope, directory, parts, platform: process.platform };
  const cover = await findShellCover(command, shell);
  const exactly = cover === undefined ? {} : ({ cover: { type: "exact" } } as const);
  return [{ type: "execute", command, directory, parts, ...exactly }];
}

/** Returns the command line of a call: a text, or a list of words. */
function commandOf({ input }: ExternalCall): string | undefined {
  const command = input?.command ?? input?.cmd;
  if (typeof command === "string" && command.trim() !== "") return command;
  if (!Array.isArray(command) || command.length === 0) return undefined;
  return command.map((word) => quoteWord(String(word))).join(" ");
}

function directoryOf({ input }: ExternalCall): string | undefined {
  const directory = input?.cwd ?? input?.workdir ?? input?.directory;
  return typeof directory === "string" && directory !== "" ? directory : undefined;
}

// The details of a call with a command or a URL show that, even if the call also shows a diff.
function detailsOf(call: ExternalCall, { root }: Workspace): ConfirmationDetails {
  const { diffs = [], kind } = call;
  const command = kind === "execute" ? commandOf(call) : undefined;
  if (command !== undefined) {
    const workingDirectory = displayPath(directoryOf(call) ?? ".", root).absolute;
    return { $case: "executeDetails", value: { command, workingDirectory } };
  }
  const [diff] = diffs;
  if (diff !== undefined && diffs.length === 1 && kind !== "fetch") {
    const value = buildFileDiff(displayPath(diff.path, root), diff.oldText, diff.newText);
    return { $case: "fileEditDetails", value };
  }
  return { $case: "genericDetails", value: { description: titleOf(call) } };
}

function titleOf({ title, toolName, kind = "other" }: ExternalCall): string {
  return title ?? toolName ?? kind;
}

// An "always" for the name of a tool would cover anything that the agent does with that tool, so "always" is
// not offered.
function unknownAction(call: ExternalCall): Action {
  const name = call.toolName ?? call.kind ?? "other";
  return { type: "other", name: `external ${name}`, target: titleOf(call), isProtected: true };
}
