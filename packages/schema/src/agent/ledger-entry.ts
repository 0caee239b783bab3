import type { StampedEvent } from "../event/agent-event.js";
import type { JsonObject } from "../validation/message-json.js";

/** Record of a message that was taken; a repeat of it by the same user is the same message. */
export interface Receipt {
  readonly user: string;
  readonly messageId: string;
  readonly taskId: string;
  readonly turn: number;
  /** Digest of the whole content, as the request gave it; a repeat with another digest is refused. */
  readonly digest?: string;
}

/** What one commit holds: all of it becomes durable and visible, or nothing does. */
export interface LedgerEntry {
  /** What observers see. */
  readonly events: readonly StampedEvent[];
  /** What a restore needs; only the agent that wrote it reads it. */
  readonly journal?: readonly JsonObject[];
  readonly receipt?: Receipt;
  /** Whether it must survive the loss of power, as answers and the start of a tool must. */
  readonly isCritical?: boolean;
}
