import { once } from "node:events";

/** Writes one server-sent event. */
export function writeEvent(response, json) {
  response.write(`data: ${JSON.stringify(json)}\n\n`);
}

/** Ends a reply with its last event, or with the whole reply. */
export function endReply(response, json, isStreamed) {
  if (isStreamed) writeEvent(response, json);
  response.end(isStreamed ? undefined : JSON.stringify(json));
}

/** Waits until the client gives up. */
export async function waitForAbort(response) {
  response.flushHeaders();
  if (!response.destroyed) await once(response, "close");
}
