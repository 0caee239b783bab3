import type { ErrorCode } from "../../errors/error-codes.js";
import type { Origin } from "../../gen/dt_session/event.js";
import type { ChangeReply } from "../session-reply.js";

/** Reply to a {@link FaceRequest}. Plain JSON. */
export type FaceReply =
  | FaceDoneReply
  | ChangeReply
  | FaceAnsweredBeforeReply
  | FaceCancelledReply
  | FaceToldReply
  | FaceRefusedReply;

/** The request took effect. */
export interface FaceDoneReply {
  readonly type: "done";
}

/** Another client answered first. */
export interface FaceAnsweredBeforeReply {
  readonly type: "answered-before";
  readonly answeredBy: Origin;
  readonly selectedOptionId: string;
}

/** The turn was cancelled, or had ended before. */
export interface FaceCancelledReply {
  readonly type: "cancelled";
  /** Texts of this face's queued prompts that were withdrawn; empty if the prompts stay in the queue. */
  readonly withdrawn: readonly string[];
}

/** The request took effect, and its result is for this person only. */
export interface FaceToldReply {
  readonly type: "told";
  readonly lines: readonly string[];
}

/** The request was refused and changed nothing. */
export interface FaceRefusedReply {
  readonly type: "refused";
  /** Absent for a command that could not start. */
  readonly code?: ErrorCode;
  /** Reason, as a sentence for the person. */
  readonly message: string;
}
