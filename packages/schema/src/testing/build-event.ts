import type { AgentEvent, EventHeader } from "../event/agent-event.js";

/** Builds an event with a valid header. The fields of `header` override the default fields. */
export function buildEvent<TEvent extends AgentEvent>(
  event: TEvent,
  header: Partial<EventHeader> = {},
): TEvent & EventHeader {
  return {
    taskId: "task-1",
    contextId: "context-1",
    state: "working",
    at: "2026-01-02T03:04:05.678Z",
    ...header,
    ...event,
  };
}
