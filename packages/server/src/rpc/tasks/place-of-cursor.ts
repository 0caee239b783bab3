import { ProtocolError } from "@dt/schema";
import type { SessionLog } from "../../log/session-log.js";

/** The place that a client's cursor names; throws where the log has no such place. */
export function findPlaceOf(cursor: string, log: SessionLog): number {
  const seq = log.cursors.decode(cursor);
  if (seq <= log.lastSeq) return seq;
  throw new ProtocolError("cursor-not-found", `the cursor ${cursor} lies beyond what has happened`);
}
