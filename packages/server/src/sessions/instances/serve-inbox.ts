import { setTimeout as delay } from "node:timers/promises";
import { isProtocolError, type SessionReply } from "@dt/schema";
import type { SessionLog } from "../../log/session-log.js";
import {
  type ClaimedRequest,
  type InstanceStore,
  receiptIdOf,
} from "../../store/instances/instance-store.js";
import { LeaseHeld, LeaseLost } from "../../store/lease.js";
import type { SessionHost } from "../session-host.js";
import { toReceiptReply } from "./receipt-reply.js";
import type { RemoteCredentials } from "./remote-credentials.js";

/**
 * Handles requests that clients have sent to other instances, for sessions that this instance holds or may
 * take.
 */
export interface InboxService {
  start(): void;
  /** Stops claiming requests. Resolves when no claim is under way. */
  close(): Promise<void>;
}

/** Options of {@link createInboxService}. */
export interface InboxServiceOptions {
  readonly instances: Pick<InstanceStore, "inbox">;
  /** Finds a session in memory or in the store. */
  find(contextId: string): Promise<SessionHost | undefined>;
  /** Credentials of clients of other instances. */
  readonly credentials: Pick<RemoteCredentials, "adopt"> | undefined;
  onFault(reason: unknown): void;
}

/** Number of attempts to store a reply while the database is away, and the pause between two of them. */
const NOTE_ATTEMPTS = 60;
const NOTE_PAUSE_MS = 500;

/** Creates the service, which claims requests as soon as it is notified of them. */
export function createInboxService(options: InboxServiceOptions): InboxService {
  const { instances, onFault } = options;
  const { inbox } = instances;
  let claiming: Promise<void> | undefined;
  let isDue = false;
  let unsubscribe = () => {};
  let isClosed = false;

  async function claimWhileDue(): Promise<void> {
    while (isDue && !isClosed) {
      isDue = false;
      const requests = await inbox.claim();
      for (const request of requests) void handleClaimed(request, options).catch(onFault);
    }
  }

  function claim(): void {
    isDue = true;
    claiming ??= claimWhileDue()
      // The store reports its own faults, and the next wake-up tries again.
      .catch(() => {})
      .finally(() => {
        claiming = undefined;
      });
  }

  return {
    start() {
      unsubscribe = inbox.subscribe(claim);
    },
    async close() {
      isClosed = true;
      unsubscribe();
      await claiming;
    },
  };
}

/**
 * Handles one request as if a client had sent it to this instance. The commit of an accepted message stores
 * the reply too. If this instance ends before a reply is stored, the next owner of the session claims the
 * message again.
 */
async function handleClaimed(claimed: ClaimedRequest, options: InboxServiceOptions): Promise<void> {
  const { inbox } = options.instances;
  const reply = await handle(claimed, options).catch((reason: unknown) => {
    if (reason instanceof LeaseHeld || reason instanceof LeaseLost) return undefined;
    if (!isProtocolError(reason)) options.onFault(reason);
    return toRefusal(reason);
  });
  const note = () =>
    reply === undefined ? inbox.unclaim(claimed.id) : inbox.answer(claimed.id, reply);
  // If this instance stored neither the reply nor the release of the request, the sender would wait until its
  // timeout.
  for (let attempt = 1; attempt < NOTE_ATTEMPTS; attempt += 1) {
    const isNoted = await note().then(
      () => true,
      () => false,
    );
    if (isNoted) return;
    await delay(NOTE_PAUSE_MS, undefined, { ref: false });
  }
  await note();
}

async function handle(
  claimed: ClaimedRequest,
  { find, credentials }: InboxServiceOptions,
): Promise<SessionReply | undefined> {
  const { contextId, request, caller } = claimed;
  const host = await find(contextId);
  if (host === undefined) {
    return { type: "refused", code: "task-not-found", message: "the session was deleted" };
  }
  if (caller.credential !== undefined) credentials?.adopt(caller.credential);
  await host.becomeOwner();
  const detach = attach(claimed, host.log);
  try {
    const reply = await host.handleOwn(request, caller);
    // If the session was lost meanwhile, the refusal is dropped, and the next owner handles the request.
    return reply.type === "refused" && host.log.isClosed ? undefined : reply;
  } finally {
    detach();
  }
}

function toRefusal(reason: unknown): SessionReply {
  if (!isProtocolError(reason)) {
    const message = "the instance that holds the session could not handle the request";
    return { type: "refused", code: "internal", message };
  }
  const { code, message, data } = reason;
  return { type: "refused", code, message, ...(data !== undefined && { data }) };
}

/**
 * Attaches the push config, the reply and the dialect of a request to the log of its session, so that the commit stores
 * them.
 */
function attach({ id, request, caller, push, dialect }: ClaimedRequest, log: SessionLog) {
  const messageId = receiptIdOf(request);
  const message = messageId === undefined ? undefined : { user: caller.user, messageId };
  const dropPush = message && push && log.pushes.attach(message, push);
  const dropReply =
    message &&
    log.replies.attach(message, {
      requestId: id,
      toReply: (ticket) => toReceiptReply(request, ticket),
    });
  const taskId = "taskId" in request ? request.taskId : undefined;
  if (taskId !== undefined && dialect !== undefined) log.newDialects.set(taskId, dialect);
  return () => {
    dropPush?.();
    dropReply?.();
    if (taskId !== undefined) log.newDialects.delete(taskId);
  };
}
