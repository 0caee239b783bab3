import { withGeminiServers } from "../servers/from-gemini-servers.js";

/** A key, and the reason why it is ignored or dangerous. */
export interface GeminiRemark {
  readonly path: readonly string[];
  readonly problem: string;
}

/** Settings of Gemini CLI with dt's keys. The values are checked later, by the schema. */
export interface GeminiSettings {
  readonly value: unknown;
  readonly remarks: readonly GeminiRemark[];
  /** Converts a path of dt's keys to the path of the same value in the file of Gemini CLI. */
  originOf(path: readonly string[]): readonly string[];
}

/** Keys of Gemini CLI that dt has under other names. */
const RENAMED: readonly (readonly [from: readonly [string, string], to: readonly string[]])[] = [
  [["model", "name"], ["model"]],
  [["tools", "core"], ["allowedTools"]],
  [["tools", "exclude"], ["excludedTools"]],
  [
    ["context", "fileName"],
    ["context", "fileNames"],
  ],
];

/**
 * Converts these settings of Gemini CLI to settings with dt's keys: `model.name`, `tools.core`,
 * `tools.exclude`, `tools.autoAccept`, `context.fileName` and `mcpServers`.
 *
 * `tools.autoAccept` approves every call. Only the person's own file may set this key, because other people
 * often write the files of a workspace.
 */
export function fromGeminiSettings(
  settings: unknown,
  { isOfWorkspace }: { readonly isOfWorkspace: boolean },
): GeminiSettings {
  if (!isRecord(settings)) return { value: settings, remarks: [], originOf: (path) => path };
  const renamed = RENAMED.filter(([[group, key]]) => findIn(settings, group, key) !== undefined);
  const isRenamed = (to: string) => renamed.some(([, path]) => path.join(".") === to);
  const { tools, model, context, ...rest } = settings;
  const approval = readAutoAccept(findIn(settings, "tools", "autoAccept"), isOfWorkspace);
  const value = {
    ...approval.settings,
    ...rest,
    ...(model !== undefined && {
      model: isRenamed("model") ? findIn(settings, "model", "name") : model,
    }),
    ...(isRenamed("allowedTools") && { allowedTools: findIn(settings, "tools", "core") }),
    ...(isRenamed("excludedTools") && { excludedTools: findIn(settings, "tools", "exclude") }),
    ...(context !== undefined && { context: toContext(context) }),
  };
  return {
    value: withGeminiServers(value),
    remarks: [
      ...approval.remarks,
      ...unusedKeys("model", model, ["name"]),
      ...unusedKeys("tools", tools, TOOL_KEYS),
    ],
    originOf: (path) => originOf(path, renamed),
  };
}

const TOOL_KEYS = ["core", "exclude", "autoAccept"];

function readAutoAccept(value: unknown, isOfWorkspace: boolean) {
  const path = ["tools", "autoAccept"];
  if (value === undefined || value === false) return { settings: {}, remarks: [] };
  const remark = (problem: string) => [{ path, problem }];
  if (value !== true) return { settings: {}, remarks: remark("must be true or false") };
  if (isOfWorkspace) {
    const problem = "is ignored in a workspace, because it approves every tool call";
    return { settings: {}, remarks: remark(problem) };
  }
  const problem = "approves every tool call without a question; remove it to be asked again";
  return { settings: { mode: "yolo" }, remarks: remark(problem) };
}

function toContext(context: unknown): unknown {
  if (!isRecord(context) || context.fileName === undefined) return context;
  const { fileName, ...rest } = context;
  return { ...rest, fileNames: typeof fileName === "string" ? [fileName] : fileName };
}

function unusedKeys(
  group: string,
  value: unknown,
  used: readonly string[],
): readonly GeminiRemark[] {
  if (!isRecord(value)) {
    const isWrong = group === "tools" && value !== undefined;
    return isWrong ? [{ path: [group], problem: "must be a map of settings" }] : [];
  }
  return Object.keys(value)
    .filter((key) => !used.includes(key))
    .map((key) => ({ path: [group, key], problem: "is not used by dt" }));
}

function originOf(path: readonly string[], renamed: typeof RENAMED): readonly string[] {
  const found = renamed.find(([, to]) => to.every((key, index) => path[index] === key));
  if (found === undefined) return path;
  const [from, to] = found;
  return [...from, ...path.slice(to.length)];
}

function findIn(settings: Readonly<Record<string, unknown>>, group: string, key: string): unknown {
  const part = settings[group];
  return isRecord(part) ? (part[key] ?? undefined) : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
