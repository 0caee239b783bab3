import type { StampedEvent } from "../event/agent-event.js";
import type { JsonObject } from "../validation/message-json.js";

/** Record of an accepted message. A message of the same user with the same id is a repeat. */
export interface Receipt {
  readonly user: string;
  readonly messageId: string;
  readonly taskId: string;
  readonly turn: number;
  /** Digest of the message's whole content; a repeat with another digest is refused. */
  readonly digest?: string;
}

/** Content of one commit: all of it becomes durable and visible, or none of it. */
export interface LedgerEntry {
  /** Events for subscribers. */
  readonly events: readonly StampedEvent[];
  /** Records for a restart; only agents of the same session read them. */
  readonly journal?: readonly JsonObject[];
  readonly receipt?: Receipt;
  /** True if the commit must survive a power failure, for example an answer or the start of a tool. */
  readonly isCritical?: boolean;
}
