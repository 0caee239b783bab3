import { encodeGuideFrame } from "@dt/schema/wire";
import type { LoggedEvent } from "../../log/session-log.js";
import type { StreamFrame } from "../rpc-context.js";

/** An event as the guide's frame, written once for all who watch; undefined where it has none. */
export function encodeGuideText({ event, encoded }: LoggedEvent): string | undefined {
  let text = encoded.get("guide");
  if (text === undefined) {
    const frame = encodeGuideFrame(event);
    // Remembered as well: most who watch would ask again.
    text = frame === undefined ? "" : JSON.stringify(frame);
    encoded.set("guide", text);
  }
  return text || undefined;
}

/** The frames of a request's own stream: it does not hear its own prompt again. */
export function toGuideFrames(events: readonly LoggedEvent[]): readonly StreamFrame[] {
  return events.flatMap((logged) => {
    const { kind, cursor } = logged.event;
    const json = kind === "USER_PROMPT" ? undefined : encodeGuideText(logged);
    if (json === undefined) return [];
    return [cursor === undefined ? { json } : { json, cursor }];
  });
}
