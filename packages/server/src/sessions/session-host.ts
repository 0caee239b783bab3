import {
  type AgentDriver,
  type AgentPort,
  type Caller,
  driveAgent,
  ProtocolError,
  type SessionReply,
  type SessionRequest,
} from "@dt/schema";
import { openSessionLog, type SessionLog, type WritableLog } from "../log/session-log.js";
import type { SessionMeter } from "../metrics/session-meter.js";
import { LeaseHeld } from "../store/lease.js";
import type { SessionRecord, SessionStore, StoredSession } from "../store/session-store.js";
import { createReadOnlyAgent } from "./agent/read-only-agent.js";
import { type OwnerOptions, openOwner, type SessionOwner } from "./open-owner.js";
import { readPendingTasks, toPendingTasks } from "./read-pending-tasks.js";

/**
 * One session in this process. Its log can be read at once. For the first request to the agent, this process acquires
 * the lease and opens the agent, and so becomes the owner.
 */
export interface SessionHost {
  readonly session: SessionRecord;
  readonly log: SessionLog;
  /** Sends a request to the agent. Returns a refusal as a reply. */
  readonly handle: AgentPort["handle"];
  /** Sends requests to the agent. Throws a refusal as an error. */
  readonly agent: AgentDriver;
  /** True if the agent is open in this process. */
  readonly isOwned: boolean;
  /** True if a turn runs in this process, or a request to the agent is under way. */
  readonly isBusy: boolean;
  /** Makes this process the owner. Rejects if it cannot get the lease, or cannot open the agent of a new session. */
  becomeOwner(): Promise<void>;
  /** Measures the session; undefined if there are no metrics or the agent is not open. */
  readonly meter: SessionMeter | undefined;
  /** Closes the agent and the log, and releases the lease. */
  close(): Promise<void>;
}

/** Options of {@link createSessionHost} and {@link restoreSessionHost}. */
export interface SessionHostOptions extends OwnerOptions {
  /** Called when the agent of a session is open. */
  onOwned(session: SessionRecord): void;
}

/** Opens a session that is not stored yet, with its agent. The first commit stores the session. */
export async function createSessionHost(
  session: SessionRecord,
  options: SessionHostOptions,
): Promise<SessionHost> {
  const { store, clock, onBusyChange } = options;
  const onBusy = (isBusy: boolean) => onBusyChange(session, isBusy);
  const log = openSessionLog({ session, lastPosition: 0, store, clock, onBusyChange: onBusy });
  const host = toHost({ session, log, isNew: true }, options);
  await host.becomeOwner();
  return host;
}

/** Opens a stored session for reading; undefined if it does not exist. */
export async function restoreSessionHost(
  contextId: string,
  options: SessionHostOptions,
): Promise<SessionHost | undefined> {
  const { store, clock, onBusyChange } = options;
  const stored = await store.findSession(contextId);
  if (stored === undefined) return undefined;
  const session = toRecord(stored);
  const log = openSessionLog({
    session,
    lastPosition: stored.lastPosition,
    pending: toPendingTasks(await readPendingTasks(session, store)),
    store,
    clock,
    onBusyChange: (isBusy) => onBusyChange(session, isBusy),
  });
  return toHost({ session, log, isNew: false }, options);
}

/** Converts the error of a lease to the one that clients get. */
function toBusy(cause: LeaseHeld): ProtocolError {
  const message = "the session is open in another instance; send the message again later";
  return new ProtocolError("agent-busy", message, { cause });
}

function toRecord({ contextId, owner, settings, createdAt }: StoredSession): SessionRecord {
  return { contextId, owner, settings, createdAt };
}

interface HostParts {
  readonly session: SessionRecord;
  readonly log: WritableLog;
  readonly isNew: boolean;
}

function toHost(parts: HostParts, options: SessionHostOptions): SessionHost {
  return new OpenSessionHost(parts, options);
}

/** This is a class, because closures would cost each session some kilobytes of memory. */
class OpenSessionHost implements SessionHost {
  readonly session: SessionRecord;
  readonly log: WritableLog;
  private readonly isNew: boolean;
  private readonly options: SessionHostOptions;
  private opening: Promise<SessionOwner> | undefined;
  private owner: SessionOwner | undefined;
  private requests = 0;
  private isClosing = false;

  constructor({ session, log, isNew }: HostParts, options: SessionHostOptions) {
    this.session = session;
    this.log = log;
    this.isNew = isNew;
    this.options = options;
  }

  async handle(request: SessionRequest, caller: Caller): Promise<SessionReply> {
    this.requests += 1;
    try {
      // While the store refuses commits, no agent is opened. A session without an open agent can only be
      // read.
      const isUnopened = this.opening === undefined;
      const fault = isUnopened ? await findStoreFault(this.options.store) : undefined;
      const agent = fault ? createReadOnlyAgent(fault.reason) : await this.getOwner();
      return await agent.handle(request, caller);
    } catch (reason) {
      throw reason instanceof LeaseHeld ? toBusy(reason) : reason;
    } finally {
      this.requests -= 1;
    }
  }

  get agent(): AgentDriver {
    return driveAgent(this);
  }

  get isOwned(): boolean {
    return this.owner !== undefined;
  }

  get isBusy(): boolean {
    return this.requests > 0 || (this.owner !== undefined && this.log.isBusy);
  }

  get meter(): SessionMeter | undefined {
    return this.owner?.meter;
  }

  async becomeOwner(): Promise<void> {
    await this.getOwner();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    const opened = await this.opening?.catch(() => undefined);
    try {
      await opened?.close();
    } finally {
      this.log.close();
    }
  }

  private async getOwner(): Promise<SessionOwner> {
    if (this.isClosing || this.log.isClosed) {
      throw new ProtocolError("agent-busy", "the session is closing; send the message again");
    }
    this.opening ??= this.open();
    return await this.opening;
  }

  private async open(): Promise<SessionOwner> {
    const { session, log, isNew, options } = this;
    try {
      this.owner = await openOwner({ session, log, isNew }, options);
    } catch (reason) {
      this.opening = undefined;
      throw reason;
    }
    options.onOwned(session);
    return this.owner;
  }
}

/** Finds the reason why the store refuses commits now; undefined if it accepts them. */
export async function findStoreFault(
  store: Pick<SessionStore, "check">,
): Promise<{ readonly reason: unknown } | undefined> {
  return await store.check().then(
    () => undefined,
    (reason: unknown) => ({ reason }),
  );
}
