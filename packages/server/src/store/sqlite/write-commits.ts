import type { TaskState } from "@dt/schema";
import { findLastPrompt } from "../last-prompt.js";
import type { Commit, LogEvent } from "../session-store.js";
import type { Statements } from "./statements.js";

interface TaskHead {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly state: TaskState;
  readonly updatedAt: string;
}

/** Writes a group of commits: each event once, but where sessions and tasks stand only at the end. */
export function writeCommits(commits: readonly Commit[], statements: Statements): void {
  for (const { contextId, session } of commits) {
    if (session === undefined) continue;
    const { owner, settings, createdAt } = session;
    const json = JSON.stringify(settings);
    statements.insertSession.run(contextId, owner, json, createdAt, createdAt);
  }
  for (const [contextId, parts] of byContext(commits)) {
    writeEvents(
      contextId,
      parts.flatMap(({ events }) => events),
      statements,
    );
    writeJournal(contextId, parts, statements);
  }
  for (const { contextId, receipt } of commits) {
    if (receipt === undefined) continue;
    const { principal, messageId, taskId, turn, after } = receipt;
    statements.insertReceipt.run(principal, messageId, contextId, taskId, turn, after);
  }
}

function byContext(commits: readonly Commit[]): Map<string, Commit[]> {
  const groups = new Map<string, Commit[]>();
  for (const commit of commits) {
    const group = groups.get(commit.contextId);
    if (group === undefined) groups.set(commit.contextId, [commit]);
    else group.push(commit);
  }
  return groups;
}

function writeEvents(contextId: string, events: readonly LogEvent[], statements: Statements): void {
  const last = events.at(-1);
  if (last === undefined) return;
  const before = last.seq - events.length;
  const advanced = statements.advanceSession.run(last.seq, last.event.at, contextId, before);
  if (advanced.changes === 0) {
    throw new Error(`the session ${contextId} is not at the place ${before}`);
  }
  const lastPrompt = findLastPrompt(events);
  if (lastPrompt !== undefined) statements.setLastPrompt.run(lastPrompt, contextId);
  for (const { after, taskId, json } of runsOf(events)) {
    statements.insertEvents.run(contextId, after, taskId, json);
  }
  for (const [taskId, { firstSeq, lastSeq, state, updatedAt }] of headsOf(events)) {
    statements.upsertTask.run(taskId, state, firstSeq, lastSeq, updatedAt, contextId);
  }
}

/** Events of one task that follow each other, as one text. */
function* runsOf(events: readonly LogEvent[]) {
  for (let start = 0; start < events.length; ) {
    const first = events[start];
    if (first === undefined) return;
    const { taskId } = first.event;
    let end = start + 1;
    while (events[end]?.event.taskId === taskId && events[end]?.seq === first.seq + end - start) {
      end += 1;
    }
    const run = events.slice(start, end).map(({ event }) => event);
    yield { after: first.seq - 1, taskId, json: JSON.stringify(run) };
    start = end;
  }
}

function headsOf(events: readonly LogEvent[]): Map<string, TaskHead> {
  const heads = new Map<string, TaskHead>();
  for (const { seq, event } of events) {
    const firstSeq = heads.get(event.taskId)?.firstSeq ?? seq;
    heads.set(event.taskId, { firstSeq, lastSeq: seq, state: event.state, updatedAt: event.at });
  }
  return heads;
}

function writeJournal(contextId: string, parts: readonly Commit[], statements: Statements): void {
  const records = parts.flatMap(({ journal }) => journal);
  if (records.length === 0) return;
  let { number } = statements.lastJournal.get(contextId) as { number: number };
  for (const record of records) {
    number += 1;
    statements.insertJournal.run(contextId, number, JSON.stringify(record));
  }
}
