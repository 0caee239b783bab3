import type { SessionEvent, StopSignal } from "@dt/schema";
import type { LiveSession } from "@dt/server";

const PAGE_SIZE = 500;

/** Reads all past events of a live session, page by page. */
export async function* readLocalHistory(
  live: Pick<LiveSession, "readEvents">,
  signal: StopSignal,
): AsyncGenerator<readonly SessionEvent[], void, undefined> {
  let after: string | undefined;
  while (!signal.aborted) {
    const from = after === undefined ? {} : { after };
    const page = await live.readEvents({ ...from, limit: PAGE_SIZE });
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.cursor;
  }
}
