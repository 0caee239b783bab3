import type { CommitOutcome, SessionHead } from "../../commit.js";
import type { PlannedAppend } from "./append-rows.js";

/** The head of a session in the database. */
export interface StoredHead extends SessionHead {
  /** Id of the instance that holds the session; undefined if none does. */
  readonly holder: string | undefined;
}

/**
 * Decides the outcome of an append that did not report its session as written. `absent` means that the append
 * was not stored and can be sent again. `unknown` means that the stored head is neither the head before the
 * append nor the head after it, for example because the database has lost events. Pure.
 */
export function judgeAppend(
  { commits, head }: PlannedAppend,
  stored: StoredHead | undefined,
  holder: string,
): CommitOutcome | "absent" {
  const [{ session }] = commits;
  const { epoch, number } = commits.at(-1) ?? commits[0];
  if (stored === undefined) return session === undefined ? "lost" : "absent";
  if (stored.epoch !== epoch || stored.holder !== holder) return "lost";
  if (stored.commitNumber === number) return "stored";
  const isAtHead = stored.commitNumber === head.commitNumber && stored.position === head.position;
  return isAtHead && session === undefined ? "absent" : "unknown";
}
