import type { AgentEvent, EventHeader, SessionEvent } from "../event/agent-event.js";

/** Builds an event with a valid header; `header` overrides it. */
export function buildEvent(event: AgentEvent, header: Partial<EventHeader> = {}): SessionEvent {
  return {
    taskId: "task-1",
    contextId: "context-1",
    state: "working",
    at: "2026-01-02T03:04:05.678Z",
    ...header,
    ...event,
  };
}
