import {
  type Commit,
  type CommitOutcome,
  type CommitOutcomes,
  groupBySession,
  planCommits,
  type SessionHead,
} from "../../commit.js";
import type { Database } from "../database/open-connections.js";
import { isConnectionError, isDuplicate, toStoreFault } from "../database/postgres-error.js";
import type { Instance } from "../leases/instance.js";
import type { PostgresLeases } from "../leases/postgres-leases.js";
import { type PlannedAppend, toAppendRows } from "./append-rows.js";
import { buildAppend } from "./append-statement.js";
import { judgeAppend, type StoredHead } from "./judge-append.js";

/** Options of {@link createAppender}. */
export interface AppenderOptions {
  readonly database: Database;
  readonly schema: string;
  readonly instance: Pick<Instance, "id" | "isLive">;
  /** Pool of this instance. */
  readonly pool: string;
  readonly leases: Pick<PostgresLeases, "heads" | "epochOf" | "lose">;
  /** Called with commits that were stored. */
  onStored(commits: readonly Commit[]): void;
  /** Waits before the database is asked again; rejects when the store closes. */
  wait(attempt: number): Promise<void>;
}

/**
 * Creates the function that stores commits. For sessions that this process holds, a call is usually one round
 * trip.
 */
export function createAppender(
  options: AppenderOptions,
): (commits: readonly Commit[]) => Promise<CommitOutcomes> {
  const { leases, instance } = options;

  return async (commits) => {
    const groups = groupBySession(commits);
    const outcomes = new Map<string, CommitOutcome>();
    const heads = await findHeads([...groups.keys()], options);
    const appends = planAll(groups, { heads, epochOf: leases.epochOf, outcomes });
    await sendAll(appends, outcomes, options);
    for (const [contextId, [{ epoch }]] of groups) {
      // If the lease has run out, a stored commit must not start any work, so it is reported as lost.
      if (outcomes.get(contextId) === "stored" && !instance.isLive())
        outcomes.set(contextId, "lost");
      if (outcomes.get(contextId) === "lost") leases.lose(contextId, epoch);
    }
    return outcomes;
  };
}

/** Finds the heads of sessions. The heads of sessions that this process holds are in memory. */
async function findHeads(
  contextIds: readonly string[],
  options: AppenderOptions,
): Promise<ReadonlyMap<string, SessionHead>> {
  const { heads, epochOf } = options.leases;
  const unknown = contextIds.filter((id) => !heads.has(id) && epochOf(id) === undefined);
  return unknown.length === 0 ? heads : new Map([...heads, ...(await readHeads(unknown, options))]);
}

interface Planning {
  readonly heads: ReadonlyMap<string, SessionHead>;
  readonly outcomes: Map<string, CommitOutcome>;
  epochOf(contextId: string): number | undefined;
}

/** Plans the commits of all sessions before the first is sent. Throws if a commit does not continue at its head. */
function planAll(
  groups: ReadonlyMap<string, readonly [Commit, ...Commit[]]>,
  { heads, epochOf, outcomes }: Planning,
): readonly PlannedAppend[] {
  const appends: PlannedAppend[] = [];
  for (const [contextId, parts] of groups) {
    const head = heads.get(contextId);
    const plan = planCommits(parts, { head, heldEpoch: epochOf(contextId) });
    if (plan.type === "lost") outcomes.set(contextId, "lost");
    else {
      const [first, ...rest] = plan.commits;
      if (first === undefined) outcomes.set(contextId, "stored");
      else appends.push({ contextId, commits: [first, ...rest], head: head ?? NO_HEAD });
    }
  }
  return appends;
}

const NO_HEAD = { position: 0, commitNumber: 0 };

/** Sends appends until each has an outcome. */
async function sendAll(
  appends: readonly PlannedAppend[],
  outcomes: Map<string, CommitOutcome>,
  options: AppenderOptions,
): Promise<void> {
  let open = appends;
  while (open.length > 0) {
    const { written, isBroken } = await send(open, options);
    for (const append of open)
      if (written.has(append.contextId)) noteStored(append, outcomes, options);
    const rest = open.filter(({ contextId }) => !written.has(contextId));
    if (rest.length === 0) return;
    const stored = await readBack(rest, options);
    const again: PlannedAppend[] = [];
    for (const append of rest) {
      const { contextId } = append;
      const holder = options.instance.id;
      const judged =
        stored === undefined ? "unknown" : judgeAppend(append, stored.get(contextId), holder);
      if (judged === "absent" && isBroken) again.push(append);
      else if (judged === "stored") noteStored(append, outcomes, options);
      // If the connection did not break, a new session is absent only because another instance accepted its first
      // message.
      else outcomes.set(contextId, judged === "unknown" ? "unknown" : "lost");
    }
    open = again;
  }
}

function noteStored(
  { contextId, commits, head }: PlannedAppend,
  outcomes: Map<string, CommitOutcome>,
  { leases, onStored }: AppenderOptions,
): void {
  outcomes.set(contextId, "stored");
  onStored(commits);
  const { epoch, number } = commits.at(-1) ?? commits[0];
  if (leases.epochOf(contextId) !== epoch) return;
  const events = commits.reduce((sum, commit) => sum + commit.events.length, 0);
  leases.heads.set(contextId, {
    epoch,
    commitNumber: number,
    position: head.position + events,
  });
}

/** Sends one statement; resolves with the sessions that it wrote. */
async function send(
  appends: readonly PlannedAppend[],
  { database, schema, instance, pool }: AppenderOptions,
): Promise<{ readonly written: ReadonlySet<string>; readonly isBroken: boolean }> {
  const statement = buildAppend(schema, toAppendRows(appends, { id: instance.id, pool }));
  try {
    const rows = await database.execute(statement);
    return { written: new Set(rows.map((row) => String(row.context_id))), isBroken: false };
  } catch (error) {
    // After an error other than a broken connection, nothing was stored. The group commit then tries each session
    // alone.
    if (appends.length === 1 && isDuplicate(error)) return { written: new Set(), isBroken: false };
    if (!isConnectionError(error)) throw toStoreFault(error, database.address);
    return { written: new Set(), isBroken: true };
  }
}

/** Reads heads until the database answers. Resolves with undefined if the lease runs out or the store closes first. */
async function readBack(
  appends: readonly PlannedAppend[],
  options: AppenderOptions,
): Promise<ReadonlyMap<string, StoredHead> | undefined> {
  const contextIds = appends.map(({ contextId }) => contextId);
  for (let attempt = 0; options.instance.isLive(); attempt += 1) {
    try {
      return await readHeads(contextIds, options);
    } catch {
      const isOpen = await options.wait(attempt).then(
        () => true,
        () => false,
      );
      if (!isOpen) return undefined;
    }
  }
  return undefined;
}

async function readHeads(
  contextIds: readonly string[],
  { database, schema }: AppenderOptions,
): Promise<ReadonlyMap<string, StoredHead>> {
  const rows = await database.query({
    text: `SELECT context_id, epoch, last_position, commit_number, holder
      FROM ${schema}.sessions WHERE context_id = ANY($1)`,
    values: [contextIds],
  });
  return new Map(
    rows.map((row) => [
      String(row.context_id),
      {
        epoch: Number(row.epoch),
        position: Number(row.last_position),
        commitNumber: Number(row.commit_number),
        holder: row.holder === null ? undefined : String(row.holder),
      },
    ]),
  );
}
