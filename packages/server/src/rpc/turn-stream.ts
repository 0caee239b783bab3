import { isRestingState, type SessionEvent } from "@dt/schema";
import { isVisible } from "@dt/schema/wire";
import { follow } from "../log/follow.js";
import type { LoggedEvent, SessionLog } from "../log/session-log.js";
import { type Dialect, encodeEventFrame } from "./encode-frames.js";
import type { StreamFrame } from "./rpc-context.js";

/** Which turn to stream, and from where. */
export interface TurnStreamOptions {
  readonly log: SessionLog;
  readonly turn: number;
  readonly after: number;
  readonly dialect: Dialect;
  readonly signal: AbortSignal;
}

/**
 * The events of one turn, as the request that started or answered it sees them: up to the end of the
 * turn or the next question. Its own prompt is not repeated to it. (RFC appendix A)
 */
export async function* turnStream(
  options: TurnStreamOptions,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { log, turn, after, dialect, signal } = options;
  for await (const { events, live } of follow(log, after, signal)) {
    const frames: StreamFrame[] = [];
    let isEnded = false;
    for (const logged of [...events, ...live]) {
      if (logged.turn !== turn || !isShown(logged, dialect)) continue;
      isEnded = isRest(logged.event);
      frames.push(encodeEventFrame(logged, dialect, isEnded));
      if (isEnded) break;
    }
    if (frames.length > 0) yield frames;
    if (isEnded) return;
  }
}

/** Whether a stream that was opened by sending ends with this event. */
export function isRest(event: SessionEvent): boolean {
  return event.kind === "STATE_CHANGE" && isRestingState(event.state);
}

function isShown({ event }: LoggedEvent, { activation }: Dialect): boolean {
  return event.kind !== "USER_PROMPT" && isVisible(event, activation);
}
