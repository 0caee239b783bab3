import {
  isTerminalStatus,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import type { Update } from "../task/channel/agent-channel.js";
import { onAbort } from "../transport/abort-signals.js";

/**
 * Minimum number of recent events that the log keeps for slow or late followers. A follower that needs an
 * older, dropped event gets a snapshot of the view instead.
 */
const MIN_STORED_EVENTS = 2_000;

/** Events of one task, numbered by this client because gemini-cli's server has no cursors. */
export interface EventLog {
  readonly view: TaskView;
  append(events: readonly SessionEvent[]): void;
  /**
   * Yields the events after a cursor, until `isOver` returns true. Yields a snapshot first if there
   * is no cursor, and whenever the next event has been dropped.
   */
  follow(
    after: string | undefined,
    options: { readonly isOver: () => boolean; readonly signal: AbortSignal },
  ): AsyncGenerator<Update, void, undefined>;
  /** Makes followers check `isOver` again. */
  wake(): void;
  readonly followers: number;
}

/** Creates an empty log whose view starts as `start`. Its cursors are `<logId>.<position>`. */
export function createEventLog(start: TaskView, logId: string): EventLog {
  const events: SessionEvent[] = [];
  // Live output is not logged. Only the newest output of each running call is stored.
  const live = new Map<string, { readonly event: SessionEvent; readonly position: number }>();
  const wakers = new Set<() => void>();
  let dropped = 0;
  let livePosition = 0;
  let view: TaskView = { ...start, cursor: `${logId}.0` };

  function add(event: SessionEvent): void {
    const toolCall = event.kind === "TOOL_CALL_UPDATE" ? event.toolCall : undefined;
    if (toolCall?.liveContent !== undefined && !isTerminalStatus(toolCall.status)) {
      livePosition += 1;
      live.set(toolCall.toolCallId, { event, position: livePosition });
      view = reduceTaskView(view, event);
      return;
    }
    if (toolCall !== undefined) live.delete(toolCall.toolCallId);
    const logged = { ...event, cursor: `${logId}.${dropped + events.length + 1}` };
    events.push(logged);
    view = reduceTaskView(view, logged);
    // Old events are dropped in blocks, because each removal moves the whole array.
    if (events.length >= 2 * MIN_STORED_EVENTS) {
      dropped += events.splice(0, MIN_STORED_EVENTS).length;
    }
  }

  function positionOf(cursor: string): number {
    const [id, position] = cursor.split(".");
    const number = Number(position);
    if (id === logId && Number.isInteger(number) && number >= 0) return number;
    throw new ProtocolError(
      "cursor-not-found",
      "the cursor is unknown here; subscribe without a cursor",
    );
  }

  function nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let stop = () => {};
      const wake = () => {
        wakers.delete(wake);
        stop();
        resolve();
      };
      wakers.add(wake);
      stop = onAbort(signal, wake);
    });
  }

  function wakeAll(): void {
    for (const wake of [...wakers]) wake();
  }

  let followers = 0;
  return {
    get view() {
      return view;
    },
    get followers() {
      return followers;
    },
    append(added) {
      for (const event of added) add(event);
      if (added.length > 0) wakeAll();
    },
    wake: wakeAll,
    async *follow(after, { isOver, signal }) {
      let position = after === undefined ? -1 : positionOf(after);
      let seenLive = after === undefined ? livePosition : 0;
      followers += 1;
      try {
        while (!signal.aborted) {
          if (position < dropped) {
            position = dropped + events.length;
            seenLive = livePosition;
            yield { type: "snapshot", view };
          }
          const event = events[position - dropped];
          if (event !== undefined) {
            position += 1;
            yield { type: "event", event };
            continue;
          }
          const fresh = [...live.values()].filter((entry) => entry.position > seenLive);
          seenLive = livePosition;
          for (const entry of fresh) yield { type: "event", event: entry.event };
          if (fresh.length > 0 || events.length + dropped > position) continue;
          if (isOver()) return;
          await nextChange(signal);
        }
      } finally {
        followers -= 1;
      }
    },
  };
}
