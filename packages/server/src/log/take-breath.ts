import { setImmediate } from "node:timers/promises";

/** How long readers of what happened long ago may keep everyone else waiting. */
const BREATH_MS = 8;

let breathedAt = 0;

/** Lets others in, where nobody has been let in for a while: not at every page, since that takes time. */
export async function takeBreath(): Promise<void> {
  if (performance.now() - breathedAt < BREATH_MS) return;
  await setImmediate();
  breathedAt = performance.now();
}
