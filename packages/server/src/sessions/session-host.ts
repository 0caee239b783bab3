import {
  type AgentDriver,
  type AgentPort,
  type Caller,
  driveAgent,
  ProtocolError,
  type SessionReply,
  type SessionRequest,
  type StampedEvent,
} from "@dt/schema";
import { openSessionLog, type SessionLog, type WritableLog } from "../log/session-log.js";
import type { SessionMeter } from "../metrics/session-meter.js";
import { receiptIdOf } from "../store/instances/instance-store.js";
import { LeaseHeld } from "../store/lease.js";
import type { SessionRecord, SessionStore, StoredSession } from "../store/session-store.js";
import { createReadOnlyAgent } from "./agent/read-only-agent.js";
import { followLog, type LogFollower } from "./instances/follow-log.js";
import { toReceiptReply } from "./instances/receipt-reply.js";
import type { RemoteCredentials } from "./instances/remote-credentials.js";
import { sendToOwner } from "./instances/send-request.js";
import { type OwnerOptions, openOwner, type SessionOwner } from "./open-owner.js";
import { readPendingTasks, toPendingTasks } from "./read-pending-tasks.js";

/**
 * One session in this process. Its log can be read at once. For the first request to the agent, this process acquires
 * the lease and opens the agent, and so becomes the owner.
 */
export interface SessionHost {
  readonly session: SessionRecord;
  readonly log: SessionLog;
  /** Sends a request to the agent, wherever it is open. Returns a refusal as a reply. */
  readonly handle: AgentPort["handle"];
  /** Like `handle`, but opens the agent in this process. Rejects with `LeaseHeld` if another process has the lease. */
  readonly handleOwn: AgentPort["handle"];
  /** Sends requests to the agent. Throws a refusal as an error. */
  readonly agent: AgentDriver;
  /** True if the agent is open in this process. */
  readonly isOwned: boolean;
  /** True if a turn runs in this process, or a request to the agent is under way. */
  readonly isBusy: boolean;
  /** Makes this process the owner. Rejects if it cannot get the lease, or cannot open the agent of a new session. */
  becomeOwner(): Promise<void>;
  /** Reads what another instance has written, unless this process is the owner. */
  refresh(): Promise<void>;
  /**
   * Closes the agent and releases the lease, if no task has work to do or waits for an answer, and no request
   * is under way. The log stays open. If the process is stopping, a session with an open question is given
   * back too.
   */
  giveBack(options: { readonly isStopping: boolean }): Promise<void>;
  /** Shows live output from another instance to subscribers. */
  showLive(event: StampedEvent): void;
  /** Measures the session; undefined if there are no metrics or the agent is not open. */
  readonly meter: SessionMeter | undefined;
  /** Closes the agent and the log, and releases the lease. */
  close(): Promise<void>;
}

/** Options of {@link createSessionHost} and {@link restoreSessionHost}. */
export interface SessionHostOptions extends OwnerOptions {
  /** Credentials of clients of other instances. */
  readonly remoteCredentials?: RemoteCredentials | undefined;
  /** Called when the agent of a session is open. */
  onOwned(session: SessionRecord): void;
  /** Called if the stored log no longer continues the log in memory. The session must be opened again. */
  onDiverged(session: SessionRecord): void;
}

/** Opens a session that is not stored yet, with its agent. The first commit stores the session. */
export async function createSessionHost(
  session: SessionRecord,
  options: SessionHostOptions,
): Promise<SessionHost> {
  const { store, clock, onBusyChange } = options;
  const onBusy = (isBusy: boolean) => onBusyChange(session, isBusy);
  const log = openSessionLog({ session, lastPosition: 0, store, clock, onBusyChange: onBusy });
  const host = new OpenSessionHost({ session, log, isNew: true }, options);
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
  const log: WritableLog = openSessionLog({
    session,
    lastPosition: stored.lastPosition,
    pending: toPendingTasks(await readPendingTasks(session, store)),
    store,
    clock,
    // A turn of another instance does not make this instance busy.
    onBusyChange: (isBusy) => {
      if (host.isOwner) onBusyChange(session, isBusy);
    },
  });
  const host = new OpenSessionHost({ session, log, isNew: false }, options);
  return host;
}

/** Converts the error of a lease to the error that clients get. */
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

/** This is a class, because closures would cost each session some kilobytes of memory. */
class OpenSessionHost implements SessionHost {
  readonly session: SessionRecord;
  readonly log: WritableLog;
  private isNew: boolean;
  private readonly options: SessionHostOptions;
  private follower: LogFollower | undefined;
  private releasing: Promise<void> | undefined;
  private messages: Map<string, Promise<SessionReply>> | undefined;
  private opening: Promise<SessionOwner> | undefined;
  private owner: SessionOwner | undefined;
  private requests = 0;
  private isClosing = false;

  constructor({ session, log, isNew }: HostParts, options: SessionHostOptions) {
    this.session = session;
    this.log = log;
    this.isNew = isNew;
    this.options = options;
    if (!isNew) this.follow();
  }

  async handle(request: SessionRequest, caller: Caller): Promise<SessionReply> {
    this.requests += 1;
    try {
      // While the store refuses commits, no agent is opened. A session without an open agent can only be
      // read.
      const isUnopened = this.opening === undefined;
      const fault = isUnopened ? await findStoreFault(this.options.store) : undefined;
      if (fault) return await createReadOnlyAgent(fault.reason).handle(request, caller);
      return await this.handleOwn(request, caller);
    } catch (reason) {
      if (reason instanceof LeaseHeld) return await this.handleElsewhere(request, caller, reason);
      throw reason;
    } finally {
      this.requests -= 1;
    }
  }

  async handleOwn(request: SessionRequest, caller: Caller): Promise<SessionReply> {
    this.requests += 1;
    try {
      const owner = await this.getOwner();
      return await this.handleOnce(request, caller, owner);
    } finally {
      this.requests -= 1;
    }
  }

  /** Handles a message that may arrive at several instances only once. */
  private async handleOnce(
    request: SessionRequest,
    caller: Caller,
    owner: SessionOwner,
  ): Promise<SessionReply> {
    const messageId = receiptIdOf(request);
    const { store } = this.options;
    if (messageId === undefined || store.instances === undefined) {
      return await owner.handle(request, caller);
    }
    const key = JSON.stringify([caller.user, messageId]);
    this.messages ??= new Map();
    const { messages } = this;
    const running = messages.get(key);
    if (running !== undefined) return await running;
    const handled = (async () => {
      // A session without events has no receipts.
      const isEmpty = this.log.lastPosition === 0;
      const receipt = isEmpty ? undefined : await store.findReceipt(caller.user, messageId);
      const isKnown = receipt?.contextId === this.session.contextId;
      return isKnown ? toReceiptReply(request, receipt) : await owner.handle(request, caller);
    })().finally(() => messages.delete(key));
    messages.set(key, handled);
    return await handled;
  }

  private async handleElsewhere(
    request: SessionRequest,
    caller: Caller,
    held: LeaseHeld,
  ): Promise<SessionReply> {
    const { store, clock, remoteCredentials: credentials } = this.options;
    const { instances } = store;
    if (instances === undefined) throw toBusy(held);
    const { log } = this;
    const { elapsedMs } = clock;
    const reply = await sendToOwner(request, caller, {
      log,
      store,
      instances,
      credentials,
      elapsedMs,
    });
    await this.refresh();
    return reply;
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

  /** True if this process is the owner or becomes it. */
  get isOwner(): boolean {
    return this.opening !== undefined;
  }

  async refresh(): Promise<void> {
    await this.follower?.refresh();
  }

  async giveBack({ isStopping }: { readonly isStopping: boolean }): Promise<void> {
    const { owner, log } = this;
    const hasWork = isStopping ? log.isBusy : !log.isIdle;
    const isUsed = hasWork || this.requests > 0 || this.isClosing || log.isClosed;
    // A session without events is not stored yet.
    if (owner === undefined || isUsed || log.lastPosition === 0) return;
    this.owner = undefined;
    this.opening = undefined;
    this.isNew = false;
    this.releasing ??= owner.close().finally(() => {
      this.releasing = undefined;
      if (!this.isClosing && !log.isClosed) this.follow();
    });
    await this.releasing;
  }

  showLive(event: StampedEvent): void {
    this.log.publishLive(event);
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
    await this.follower?.stop();
    try {
      await this.releasing;
      await opened?.close();
    } finally {
      this.log.close();
    }
  }

  private async getOwner(): Promise<SessionOwner> {
    if (this.releasing !== undefined) await this.releasing;
    if (this.isClosing || this.log.isClosed) {
      throw new ProtocolError("agent-busy", "the session is closing; send the message again");
    }
    this.opening ??= this.open();
    return await this.opening;
  }

  /** Follows the log while another process may write it. */
  private follow(): void {
    const { session, log, options } = this;
    const { store, clock, onFault } = options;
    if (store.instances === undefined) return;
    this.follower = followLog({
      log,
      store,
      instances: store.instances,
      elapsedMs: clock.elapsedMs,
      onDiverged: () => options.onDiverged(session),
      onFault,
    });
  }

  private async open(): Promise<SessionOwner> {
    const { session, log, isNew, options } = this;
    try {
      // From now on, the owner announces all events, so the follower must stop.
      await this.follower?.stop();
      this.follower = undefined;
      this.owner = await openOwner({ session, log, isNew }, options);
    } catch (reason) {
      this.opening = undefined;
      if (!isNew && !this.isClosing) {
        this.follow();
        this.refresh().catch(options.onFault);
      }
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
