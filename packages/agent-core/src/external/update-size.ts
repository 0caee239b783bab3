import type { ExternalUpdate } from "@dt/schema";

/** Returns how many characters an update of an external agent has. Images, plans and notices count too. Pure. */
export function sizeOfUpdate(update: ExternalUpdate): number {
  const { type } = update;
  const isPlain = type === "thought" || (type === "text" && update.attachments === undefined);
  return isPlain ? update.text.length : JSON.stringify(update).length;
}
