import {
  isTerminalStatus,
  reduceTaskView,
  type SessionEvent,
  type StampedEvent,
  type TaskView,
} from "@dt/schema";
import { EncodedFrames, type LoggedEvent } from "./logged-event.js";

/** The newest output of one running call, and the `SessionLog.version` that the log got with it. */
export interface LiveEntry {
  readonly version: number;
  readonly logged: LoggedEvent;
}

/** Output of running calls. It is shown to subscribers and is not logged. */
export interface LiveOutput {
  /** The newest output of each call, by the call's id. */
  readonly newest: ReadonlyMap<string, LiveEntry>;
  /** Replaces the output of a call. */
  set(event: LiveUpdate, at: { readonly position: number; readonly version: number }): void;
  /** Applies the next event of the log. An event that ends a call removes the output of this call. */
  advance(event: SessionEvent): void;
  /** Adds the output of a task's calls to the view of the task. */
  addTo(view: TaskView): TaskView;
}

/** An event that contains live output. */
export type LiveUpdate = StampedEvent & { readonly kind: "TOOL_CALL_UPDATE" };

/** Creates the live output of a session. */
export function createLiveOutput(contextId: string): LiveOutput {
  return new SessionLiveOutput(contextId);
}

class SessionLiveOutput implements LiveOutput {
  readonly newest = new Map<string, LiveEntry>();
  private readonly contextId: string;

  constructor(contextId: string) {
    this.contextId = contextId;
  }

  set(
    { turn, ...event }: LiveUpdate,
    { position, version }: { readonly position: number; readonly version: number },
  ): void {
    const shown = { ...event, contextId: this.contextId };
    const logged = { position, turn, event: shown, encoded: new EncodedFrames() };
    this.newest.set(event.toolCall.toolCallId, { version, logged });
  }

  advance(event: SessionEvent): void {
    if (event.kind !== "TOOL_CALL_UPDATE" || !isTerminalStatus(event.toolCall.status)) return;
    this.newest.delete(event.toolCall.toolCallId);
  }

  addTo(view: TaskView): TaskView {
    const shown = [...this.newest.values()].filter(
      ({ logged }) => logged.event.taskId === view.taskId,
    );
    return shown.reduce((next, { logged }) => reduceTaskView(next, logged.event), view);
  }
}
