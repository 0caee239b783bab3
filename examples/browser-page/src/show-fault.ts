import { byId } from "./element.js";

/** Shows the reason of a fault; undefined hides the last one. */
export function showFault(reason: unknown): void {
  const line = byId("fault");
  line.hidden = reason === undefined;
  line.textContent = reason instanceof Error ? reason.message : String(reason);
}

/** Runs some work and shows its fault. */
export function attempt(work: () => Promise<unknown>): void {
  showFault(undefined);
  work().catch(showFault);
}
