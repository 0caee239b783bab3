import type { JoinPageFile } from "@dt/server";

/** Loads the page on which devices pair. It is loaded on demand, because most sessions never show it. */
export async function loadJoinPage(): Promise<readonly JoinPageFile[]> {
  return (await import("@dt/example-browser-page/join-page")).JOIN_PAGE;
}
