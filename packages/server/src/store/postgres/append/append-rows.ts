import type { TaskState } from "@dt/schema";
import { type Commit, isSpeech } from "../../commit.js";
import { findLastPrompt } from "../../last-prompt.js";
import type { LogEvent, SessionRecord } from "../../session-store.js";
import { pushValues } from "../pushes/push-rows.js";
import type { AppendPart, AppendRows } from "./append-columns.js";

type MutableRows = Record<AppendPart, (readonly unknown[])[]>;

/** The commits of one session that continue at its stored head. */
export interface PlannedAppend {
  readonly contextId: string;
  readonly commits: readonly [Commit, ...Commit[]];
  /** Position and commit number of the stored session; both 0 if the first commit creates the session. */
  readonly head: { readonly position: number; readonly commitNumber: number };
}

/** The instance that appends. */
export interface AppendingInstance {
  readonly id: string;
  readonly pool: string;
}

/** Converts commits to rows. Pure. */
export function toAppendRows(
  appends: readonly PlannedAppend[],
  instance: AppendingInstance,
): AppendRows {
  const rows: MutableRows = {
    sessions: [],
    created: [],
    events: [],
    journal: [],
    tasks: [],
    receipts: [],
    firsts: [],
    pushes: [],
    replies: [],
  };
  // Every instance writes sessions in the same order, so that two statements never deadlock.
  for (const append of [...appends].sort(byId)) addSession(rows, append, instance);
  const isRelaxed = appends.every(({ commits }) => commits.every(isSpeech));
  return { rows, isRelaxed };
}

function byId(left: PlannedAppend, right: PlannedAppend): number {
  return left.contextId < right.contextId ? -1 : 1;
}

function addSession(
  rows: MutableRows,
  { contextId, commits, head }: PlannedAppend,
  { id: holder, pool }: AppendingInstance,
): void {
  const events = commits.flatMap((commit) => commit.events);
  const journal = commits.flatMap((commit) => commit.journal);
  const last = commits.at(-1) ?? commits[0];
  const next = [head.position + events.length, last.number];
  const prompt = findLastPrompt(events) ?? null;
  const { session } = commits[0];
  const changed = [activeAt(events, session), prompt, journal.length];
  const { epoch } = last;
  if (session === undefined) {
    const key = [contextId, epoch, head.position, head.commitNumber];
    rows.sessions.push([...key, ...next, ...changed]);
  } else {
    const { owner, settings, createdAt } = session;
    const fixed = [owner, JSON.stringify(settings), settings.workspacePath, createdAt];
    rows.created.push([contextId, epoch, ...next, ...changed, ...fixed, holder, pool]);
  }
  for (const { position, epoch, event } of events) {
    const { taskId, kind } = event;
    rows.events.push([contextId, position, taskId, epoch, kind, JSON.stringify(event)]);
  }
  for (const [index, record] of journal.entries()) {
    rows.journal.push([contextId, index + 1, JSON.stringify(record)]);
  }
  for (const [taskId, task] of tasksOf(events)) {
    const dialect = commits.find((commit) => commit.dialect?.taskId === taskId)?.dialect?.name;
    const { state, firstPosition, lastPosition, updatedAt, epoch } = task;
    const moved = [state, firstPosition, lastPosition, updatedAt, epoch];
    rows.tasks.push([contextId, taskId, ...moved, dialect ?? null]);
  }
  for (const commit of commits) addMessage(rows, commit);
}

function addMessage(rows: MutableRows, { contextId, receipt, push, session, answered }: Commit) {
  if (receipt !== undefined) {
    const { user, messageId, taskId, turn, afterPosition, digest } = receipt;
    const part = session === undefined ? rows.receipts : rows.firsts;
    part.push([contextId, user, messageId, taskId, turn, afterPosition, digest ?? null]);
  }
  if (push !== undefined) rows.pushes.push(pushValues(push));
  if (answered !== undefined) {
    rows.replies.push([contextId, answered.requestId, JSON.stringify(answered.reply)]);
  }
}

/** Returns the time of the latest event, or of the creation. */
function activeAt(events: readonly LogEvent[], session: SessionRecord | undefined): string {
  let latest = session?.createdAt ?? "";
  for (const { event } of events) if (event.at > latest) latest = event.at;
  return latest;
}

interface TaskHead {
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly epoch: number;
  readonly state: TaskState;
  readonly updatedAt: string;
}

function tasksOf(events: readonly LogEvent[]): ReadonlyMap<string, TaskHead> {
  const tasks = new Map<string, TaskHead>();
  for (const { position, epoch, event } of events) {
    const { taskId, state, at: updatedAt } = event;
    const firstPosition = tasks.get(taskId)?.firstPosition ?? position;
    tasks.set(taskId, { firstPosition, lastPosition: position, epoch, state, updatedAt });
  }
  return tasks;
}
