import type { StoredReceipt } from "../../store/session-store.js";
import type { RpcContext } from "../rpc-context.js";
import { getTaskForCaller } from "../tasks/shared-session.js";
import { checkRepeated } from "./check-repeated.js";
import { isTaskUnknown, type TurnDelivery, toTurnDelivery } from "./delivery.js";
import type { Incoming } from "./incoming.js";

/**
 * Finds the delivery of a message that was accepted before; undefined if it was not accepted. Throws if the
 * accepted message had another content, task or session.
 */
export async function findEarlierDelivery(
  incoming: Incoming,
  context: RpcContext,
): Promise<TurnDelivery | undefined> {
  const { caller, sessions, dialect, after } = context;
  const receipt = await sessions.findReceipt(caller, incoming.messageId);
  if (receipt === undefined || (await isOfOtherSession(receipt, context))) return undefined;
  const { taskId, turn, afterPosition } = receipt;
  const { host } = await getTaskForCaller(taskId, context);
  // In a dialect with one task, the task is not compared. If the message answered a question of a command, its receipt
  // names the command's task, which the client does not know.
  const named = dialect.traits.hasOneTask ? { ...incoming, taskId: undefined } : incoming;
  await checkRepeated(named, { receipt, log: host.log });
  const located = after === undefined ? undefined : await host.log.locate(after);
  // A client whose cursor is before the message has seen nothing of the message's turn.
  const hasReached = located !== undefined && located > afterPosition;
  return toTurnDelivery(incoming, host, {
    taskId,
    turn,
    afterPosition,
    isNewTask: isTaskUnknown(incoming, context) && !hasReached,
    isRepeated: true,
    ...(located !== undefined && { reachedPosition: Math.max(located, afterPosition) }),
  });
}

/** Returns true if a live endpoint shares a session, and the receipt belongs to a different session. */
async function isOfOtherSession(
  { contextId }: StoredReceipt,
  { shared }: Pick<RpcContext, "shared">,
): Promise<boolean> {
  const live = await shared?.();
  return live !== undefined && live.host.session.contextId !== contextId;
}
