import type { Ticket } from "@dt/schema";
import type { ClientMessage } from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import type { RpcContext } from "../rpc-context.js";
import type { SharedSession } from "../tasks/shared-session.js";
import type { Incoming } from "./incoming.js";

/**
 * Result of a delivery. The message belongs to a turn, or it only opened a task, or a plain client gets the open
 * question again.
 */
export type Delivery =
  | TurnDelivery
  | OpenedDelivery
  | { readonly type: "repeated-question"; readonly host: SessionHost; readonly taskId: string };

/** The delivery of settings without a prompt. The task exists and waits for its first prompt. */
export interface OpenedDelivery {
  readonly type: "opened";
  readonly host: SessionHost;
  readonly taskId: string;
}

/** A message that was accepted, and the turn that it belongs to. */
export interface TurnDelivery extends Ticket {
  readonly type: "turn";
  readonly host: SessionHost;
  readonly messageId: string;
  /** Position that the client had reached when it sent the message again. */
  readonly reachedPosition?: number;
  /** True if the message had been accepted before. */
  readonly isRepeated?: boolean;
  /** True if the client does not know the task yet, because its message contained no task id. */
  readonly isNewTask: boolean;
  /** Digest of the message's content. */
  readonly digest: string;
  /** True if the message was sent to join a running turn. */
  readonly isSteering: boolean;
}

/** The context of a delivery. */
export interface DeliveryContext extends RpcContext {
  /**
   * Finds the session of a client that knows only one session. A prompt may create the session, an answer may not.
   * Default: the session that the endpoint shares.
   */
  findSession?(type: ClientMessage["type"]): Promise<SharedSession>;
}

/** Creates the delivery of a message that was accepted. */
export function toTurnDelivery(
  { messageId, digest, content }: Pick<Incoming, "messageId" | "digest" | "content">,
  host: SessionHost,
  turn: Ticket & Pick<TurnDelivery, "isNewTask" | "isRepeated" | "reachedPosition">,
): TurnDelivery {
  const isSteering = content.type === "prompt" && content.steer === true;
  return { type: "turn", host, messageId, digest, isSteering, ...turn };
}

/**
 * Returns true if the client does not know the task: the message has no task id, and the session may have more than one
 * task.
 */
export function isTaskUnknown({ taskId }: Incoming, { dialect }: RpcContext): boolean {
  return taskId === undefined && !dialect.traits.hasOneTask;
}
