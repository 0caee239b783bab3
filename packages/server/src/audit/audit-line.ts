import type { AuditKind } from "../store/audit-store.js";

/** One line of an export of the audit. */
export interface AuditLine {
  /** Time (ISO 8601). If the line stands for several equal entries, the time of the first entry. */
  readonly at: string;
  /** A kind of record, or a prompt or an answer in a session's log. */
  readonly kind: AuditKind | "prompt" | "answer";
  /** The user who caused the entry; absent if nobody was authenticated. */
  readonly user?: string;
  readonly name?: string;
  /** Address of the client. */
  readonly address?: string;
  /** The token, session or operation that was affected. */
  readonly subject?: string;
  readonly detail?: string;
  /** Number of equal entries within one minute, and the time of the last entry; absent for a single entry. */
  readonly count?: number;
  readonly lastAt?: string;
  /** For a prompt or an answer: its session, the owner of the session, its task and its position in the log. */
  readonly owner?: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly position?: number;
  /** Id that the client gave to a prompt. */
  readonly messageId?: string;
  /** The tool call that an answer belongs to, and the option that was chosen. */
  readonly tool?: string;
  readonly toolCallId?: string;
  readonly option?: string;
}
