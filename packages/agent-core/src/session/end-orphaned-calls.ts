import type { SessionState } from "../record/session-state.js";
import { endOrphans } from "../workspace/processes/end-orphans.js";
import { removeMarkerFiles } from "../workspace/processes/process-marker.js";

/**
 * Ends the processes that outlived dt's own process after it was killed, for example by `kill -9`. These
 * are the processes of an external agent and of calls that were running. Returns remarks about the
 * processes of calls, by call id.
 */
export async function endOrphanedCalls({
  turn,
  external,
}: SessionState): Promise<Readonly<Record<string, string>>> {
  if (external?.mark !== undefined) await endOrphans(external.mark);
  const running = (turn?.calls ?? []).filter(({ toolCall }) => toolCall.status === "EXECUTING");
  if (running.length === 0) return {};
  const remarks = await Promise.all(
    running.map(async ({ toolCall, mark }) => {
      // Journals of earlier versions have no marks.
      const remark = mark === undefined ? undefined : await endOrphans(mark);
      return remark === undefined ? [] : [[toolCall.toolCallId, remark] as const];
    }),
  );
  await removeMarkerFiles();
  return Object.fromEntries(remarks.flat());
}
