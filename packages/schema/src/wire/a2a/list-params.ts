import { findNearest } from "../../text/find-nearest.js";
import { failAt, type JsonObject } from "../../validation/message-json.js";
import type { A2aSpelling, A2aState, A2aTask } from "./a2a.js";
import { fromProtoNames, fromProtoState } from "./proto-json.js";
import { compact, findBoolean, findCount, findList, findString, readObject } from "./read-json.js";

/** Maximum and default number of tasks on a page. (A2A 1.0, ListTasks) */
const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 50;

/** Maximum length of an unknown name in an error message; the rest of the name is cut off. */
const MAX_SHOWN_NAME = 64;

/** Names of the parameters of `list`. `tenant` and `metadata` are ignored. (A2A 1.0, ListTasksRequest) */
const NAMES: readonly string[] = [
  "contextId",
  "status",
  "statusTimestampAfter",
  "pageSize",
  "pageToken",
  "historyLength",
  "includeArtifacts",
  "tenant",
  "metadata",
];

/** Parameters of `list`. */
export interface ListParams {
  readonly contextId?: string;
  readonly state?: A2aState;
  /** Only tasks that changed at this time or later, ISO 8601 in UTC. */
  readonly since?: string;
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly includesArtifacts: boolean;
}

/** Decodes the parameters of `list`. Absent parameters mean the first page of all tasks. */
export function decodeListParams(params: unknown, spelling: A2aSpelling): ListParams {
  const named = readObject(fromProtoNames(params ?? {}), "params");
  checkNames(named);
  const json = { ...named, status: fromProtoState(named.status) };
  const status = findString(json, "status", "");
  const state = status === undefined ? "unknown" : spelling.decodeState(status, "status");
  return compact({
    contextId: findString(json, "contextId", ""),
    // `unknown` means no filter: ProtoJSON may write the unspecified state for a field that is not set.
    state: state === "unknown" ? undefined : state,
    since: findTime(json, "statusTimestampAfter"),
    pageSize: readPageSize(json),
    pageToken: findString(json, "pageToken", ""),
    historyLength: findCount(json, "historyLength", ""),
    includesArtifacts: findBoolean(json, "includeArtifacts", "") ?? false,
  });
}

/** Encodes parameters of `list`. The agent uses its defaults for absent parameters. */
export function encodeListParams(params: Partial<ListParams>, spelling: A2aSpelling): JsonObject {
  const { state, since, includesArtifacts, ...rest } = params;
  return compact({
    ...rest,
    status: state === undefined ? undefined : spelling.encodeState(state),
    statusTimestampAfter: since,
    includeArtifacts: includesArtifacts,
  });
}

/** Encodes a page of encoded tasks. All versions use the same form. */
export function encodeTaskPage(page: {
  readonly tasks: readonly JsonObject[];
  readonly nextPageToken?: string;
  readonly pageSize: number;
  readonly totalSize: number;
}): JsonObject {
  const { tasks, nextPageToken = "", pageSize, totalSize } = page;
  return { tasks, nextPageToken, pageSize, totalSize };
}

/** One page of a list of tasks. */
export interface TaskPage {
  readonly tasks: readonly A2aTask[];
  /** Token that requests the next page; absent on the last page. */
  readonly nextPageToken?: string;
  /** Number of tasks on all pages, if the agent reports it. */
  readonly totalSize?: number;
}

/** Decodes a page of tasks. */
export function decodeTaskPage(json: unknown, spelling: A2aSpelling): TaskPage {
  const page = readObject(json, "result");
  const tasks = findList(page, "tasks", "result") ?? [];
  return compact({
    tasks: tasks.map((task, index) => spelling.decodeTask(task, `result.tasks[${index}]`)),
    nextPageToken: findString(page, "nextPageToken", "result"),
    totalSize: findCount(page, "totalSize", "result"),
  });
}

// Refuses unknown names, because a filter with a misspelt name would list all tasks.
function checkNames(json: JsonObject): void {
  const unknown = Object.keys(json)
    .find((key) => !NAMES.includes(key))
    ?.slice(0, MAX_SHOWN_NAME);
  if (unknown === undefined) return;
  const nearest = findNearest(unknown, NAMES);
  failAt(
    unknown,
    `there is no such parameter${nearest === undefined ? "" : `, did you mean ${nearest}?`}`,
  );
}

function readPageSize(json: JsonObject): number {
  const size = findCount(json, "pageSize", "") ?? DEFAULT_PAGE_SIZE;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  return failAt("pageSize", `expected a whole number from 1 to ${MAX_PAGE_SIZE}`);
}

function findTime(json: JsonObject, key: string): string | undefined {
  const text = findString(json, key, "");
  if (text === undefined) return undefined;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) failAt(key, "expected a time such as 2026-01-02T03:04:05Z");
  return new Date(moment).toISOString();
}
