import type { Commit } from "../../commit.js";
import type { SessionStore } from "../../session-store.js";

/**
 * The methods whose calls are logged. Each method changes records in memory, and its effect depends only on its
 * arguments and these records.
 */
export type LoggedMethod =
  | "savePush"
  | "deletePush"
  | "notePush"
  | "claimPushes"
  | "resumePushes"
  | "reserveBudget"
  | "settleBudget"
  | "createGrant"
  | "revokeGrant"
  | "addAudit"
  | "changeOwner"
  | "deleteSession";

/** A call of a logged method. A restart repeats the calls in the same order, so they have the same effect. */
export type CallRecord = {
  readonly [TMethod in LoggedMethod]: {
    readonly call: TMethod;
    readonly args: Parameters<SessionStore[TMethod]>;
  };
}[LoggedMethod];

/** One entry of the log: a commit of a session, or a call that changes other records. */
export type StoreRecord = { readonly commit: Commit } | CallRecord;
