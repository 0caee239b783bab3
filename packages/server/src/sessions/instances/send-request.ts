import { type Caller, ProtocolError, type SessionReply, type SessionRequest } from "@dt/schema";
import type { WritableLog } from "../../log/session-log.js";
import {
  type InboxRequest,
  type InstanceStore,
  receiptIdOf,
} from "../../store/instances/instance-store.js";
import type { SessionStore } from "../../store/session-store.js";
import { toReceiptReply } from "./receipt-reply.js";
import type { RemoteCredentials } from "./remote-credentials.js";

/** Options of {@link sendToOwner}. */
export interface SendOptions {
  readonly log: Pick<WritableLog, "contextId" | "pushes" | "newDialects">;
  readonly store: Pick<SessionStore, "findReceipt">;
  readonly instances: Pick<InstanceStore, "inbox" | "leaseMs">;
  readonly credentials: Pick<RemoteCredentials, "publish"> | undefined;
  elapsedMs(): number;
}

/** Longest time that a holder takes for a request. A prompt may wait at the holder until fewer turns run. */
const HANDLING_MS = 120_000;
/**
 * A request is withdrawn after the time of a lease and this margin, because by then another instance could take the
 * session.
 */
const MARGIN_MS = 5_000;

/**
 * Passes a request to the instance that holds the session, through the store. A request that no instance takes
 * in time is withdrawn. It fails with `agent-busy`, as does a request whose handling takes too long.
 */
export async function sendToOwner(
  request: SessionRequest,
  caller: Caller,
  options: SendOptions,
): Promise<SessionReply> {
  const { store, instances, elapsedMs } = options;
  const { inbox, leaseMs } = instances;
  if (caller.credential !== undefined) await options.credentials?.publish(caller.credential);
  const id = await inbox.add(toInboxRequest(request, caller, options.log));
  const deadline = elapsedMs() + leaseMs + MARGIN_MS;
  for (;;) {
    const state = await inbox.readState(id);
    if (state.type === "answered") {
      await inbox.remove(id);
      return state.reply;
    }
    if (state.type === "gone") return await findReply(request, caller, store);
    const isLate = elapsedMs() >= deadline && (await inbox.withdraw(id));
    if (isLate || elapsedMs() >= deadline + HANDLING_MS) throw createBusyError();
    await inbox.waitForChange(id);
  }
}

/** Adds what the methods of the server have attached to the message. */
function toInboxRequest(
  request: SessionRequest,
  caller: Caller,
  { contextId, pushes, newDialects }: SendOptions["log"],
): InboxRequest {
  const messageId = receiptIdOf(request);
  const push = messageId === undefined ? undefined : pushes.take({ user: caller.user, messageId });
  const taskId = "taskId" in request ? request.taskId : undefined;
  const dialect = taskId === undefined ? undefined : newDialects.get(taskId);
  return {
    contextId,
    request,
    caller,
    ...(push !== undefined && { push }),
    ...(dialect !== undefined && { dialect }),
  };
}

/**
 * Builds the reply from the receipt of the message, because the stored reply is gone. Throws if there is no receipt.
 */
async function findReply(
  request: SessionRequest,
  { user }: Caller,
  store: Pick<SessionStore, "findReceipt">,
): Promise<SessionReply> {
  const messageId = receiptIdOf(request);
  const receipt = messageId === undefined ? undefined : await store.findReceipt(user, messageId);
  if (receipt === undefined) throw createBusyError();
  return toReceiptReply(request, receipt);
}

function createBusyError(): ProtocolError {
  const message =
    "the session is open in another instance, which does not answer; send the message again later";
  return new ProtocolError("agent-busy", message);
}
