import {
  type AgentLedger,
  type AgentPort,
  type OpenAgent,
  observeLedger,
  ProtocolError,
  type SessionEvent,
} from "@dt/schema";
import { createBudgetPort } from "../budget/create-budget-port.js";
import type { Clock } from "../clock.js";
import { openSessionLedger } from "../log/session-ledger.js";
import type { SessionLog, WritableLog } from "../log/session-log.js";
import { withLogContext } from "../logging/log-context.js";
import type { Metrics } from "../metrics/metrics.js";
import { createSessionMeter, type SessionMeter } from "../metrics/session-meter.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import { openSettings } from "../secrets/session-secrets.js";
import type { Commit } from "../store/commit.js";
import type { GroupCommit } from "../store/group-commit.js";
import type { Lease } from "../store/lease.js";
import type { SessionRecord, SessionStore, StoredSession } from "../store/session-store.js";
import { type Interceptor, intercept } from "./agent/intercept.js";
import { createUnavailableAgent } from "./agent/unavailable-agent.js";
import { type PendingTaskViews, readPendingTasks, toPendingTasks } from "./read-pending-tasks.js";

/** The owner of a session: its agent in the process that has the lease. */
export interface SessionOwner extends AgentPort {
  /** Undefined if there are no metrics. */
  readonly meter: SessionMeter | undefined;
}

/** Options of {@link openOwner}. */
export interface OwnerOptions {
  readonly openAgent: OpenAgent;
  readonly store: SessionStore;
  readonly commits: GroupCommit;
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  isCredentialAlive(credential: string): boolean;
  /** Interceptors for the agent of a session. */
  interceptors(session: SessionRecord, log: SessionLog): readonly Interceptor[];
  /** Called when a session becomes busy, and when it is no longer busy. */
  onBusyChange(session: SessionRecord, isBusy: boolean): void;
  /** Called with every commit after it was announced. */
  onAnnounced(commit: Commit): void;
  /** Called when a commit failed or the lease was lost. The session must be closed and opened again from the store. */
  onFailure(session: SessionRecord, reason: unknown): void;
  /** Called with every event of every session after its commit, and with live output. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Called if `onEvent` throws. */
  onFault(reason: unknown): void;
  /** Called when the agent of a stored session could not be opened. */
  onUnavailable(session: SessionRecord, reason: unknown): void;
  /** Finds the reason why the tasks of a session were interrupted; undefined if the reason was a restart. */
  findInterruption(contextId: string): string | undefined;
  /** Finds the last model key that the client of a session sent to this process. */
  findModelKey(contextId: string): string | undefined;
  /** Opens the secrets in stored settings. */
  readonly vault: SecretVault;
}

/** Maximum number of events in one read. */
const PAGE_EVENTS = 256;

/** Acquires the lease of a session and opens its agent. `isNew` is true if the session is not stored yet. */
export async function openOwner(
  { session, log, isNew }: { session: SessionRecord; log: WritableLog; isNew: boolean },
  options: OwnerOptions,
): Promise<SessionOwner> {
  const { store, onBusyChange } = options;
  const { contextId } = session;
  const lease = await store.acquire(contextId);
  try {
    // The session is read after the lease was acquired, because no other process can add events then.
    const stored = isNew ? undefined : await store.findSession(contextId);
    if (stored !== undefined) await catchUp(log, stored.lastPosition, store);
    if (log.isBusy) onBusyChange(session, true);
    const { agent, meter } = await openUnderLease(session, { stored, lease, log }, options);
    return { handle: agent.handle, meter, close: () => closeOwner({ agent, log, lease }) };
  } catch (error) {
    onBusyChange(session, false);
    await lease.release();
    throw error;
  }
}

/** Announces events that another process has written since the log was opened. */
async function catchUp(log: WritableLog, lastPosition: number, store: SessionStore): Promise<void> {
  const { contextId } = log;
  while (log.lastPosition < lastPosition) {
    const page = await store.readEvents({ contextId, after: log.lastPosition, limit: PAGE_EVENTS });
    if (page.length === 0) return;
    log.announce(page);
  }
}

interface Acquired {
  /** Undefined for a session that is not stored yet. */
  readonly stored: StoredSession | undefined;
  readonly lease: Lease;
  readonly log: WritableLog;
}

async function openUnderLease(
  session: SessionRecord,
  acquired: Acquired,
  options: OwnerOptions,
): Promise<{ readonly agent: AgentPort; readonly meter: SessionMeter | undefined }> {
  const { stored, lease, log } = acquired;
  const pending: PendingTaskViews =
    stored === undefined
      ? { unfinished: [], asking: [] }
      : await readPendingTasks(session, options.store);
  const meter = options.metrics && createSessionMeter(options.metrics, session.owner);
  for (const view of [...pending.unfinished, ...pending.asking]) meter?.resume(view);
  const ledger = openSessionLedger({
    session,
    log,
    lease,
    head: stored && { commitNumber: stored.commitNumber, position: stored.lastPosition },
    queue: options.commits.openQueue(),
    onAnnounced: options.onAnnounced,
    ...(meter !== undefined && { onCommitted: meter.measure }),
    onFailure: (reason) => options.onFailure(session, reason),
  });
  const observed = observe(ledger, acquired, options);
  const opening = openAgent(session, { isNew: stored === undefined, ledger: observed }, options);
  const opened = await opening.catch(async (reason: unknown) => {
    if (stored === undefined) throw reason;
    // The log of the session stays readable, and its interrupted tasks fail.
    options.onUnavailable(session, reason);
    const { unfinished } = toPendingTasks(pending);
    return await createUnavailableAgent({
      reason,
      log,
      ledger,
      unfinished,
      now: options.clock.now,
    });
  });
  return { agent: intercept(opened, options.interceptors(session, log)), meter };
}

function observe(
  ledger: AgentLedger,
  { log, lease }: Acquired,
  { onEvent, onFault }: OwnerOptions,
): AgentLedger {
  if (onEvent === undefined) return ledger;
  const { contextId, cursors } = log;
  const cursorOf = (position: number) => cursors.encode({ position, epoch: lease.epoch });
  return observeLedger(ledger, { contextId, onEvent, onFault, cursorOf });
}

async function openAgent(
  { contextId, owner, settings: stored }: SessionRecord,
  { isNew, ledger }: { readonly isNew: boolean; readonly ledger: AgentLedger },
  options: OwnerOptions,
): Promise<AgentPort> {
  const { isCredentialAlive } = options;
  const opened = openSettings(stored, contextId, options.vault);
  const { settings, warnings } = opened;
  const modelKey =
    settings.hasModelKey === true
      ? (options.findModelKey(contextId) ?? opened.modelKey)
      : undefined;
  if (settings.hasModelKey === true && modelKey === undefined) throw createKeyError(opened.lostKey);
  for (const warning of warnings) options.onFault(new Error(`${contextId}: ${warning}`));
  const key = modelKey === undefined ? {} : { modelKey };
  const journal = isNew ? [] : await options.store.readJournal(contextId);
  const interruption = options.findInterruption(contextId);
  const reason = interruption === undefined ? {} : { interruption };
  const budget = createBudgetPort({ contextId, owner }, options);
  const open = () =>
    options.openAgent({
      contextId,
      settings,
      ledger,
      budget,
      journal,
      ...(warnings.length > 0 && { warnings }),
      isCredentialAlive,
      ...key,
      ...reason,
    });
  return await withLogContext({ contextId }, open);
}

// Creates the error of a session whose model key is lost. The session must not use the server's key instead.
function createKeyError(reason = "is lost"): ProtocolError {
  return new ProtocolError(
    "unsupported-operation",
    `the API key of this session ${reason}; send POST /tasks with its contextId and the key again`,
  );
}

async function closeOwner(owner: {
  readonly agent: AgentPort;
  readonly log: WritableLog;
  readonly lease: Lease;
}): Promise<void> {
  const { agent, log, lease } = owner;
  const wasClosed = log.isClosed;
  try {
    await agent.close();
  } catch (reason) {
    // If a failure has closed the log, the agent may report the same failure again, so the error is ignored.
    if (!wasClosed) throw reason;
  } finally {
    await lease.release();
  }
}
