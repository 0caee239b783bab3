import { createBusBy, type EventBus } from "../../agent/event-bus.js";
import type { SessionEvent } from "../../event/agent-event.js";
import { isTerminalState } from "../../event/task-state.js";
import type { CoderAgentMessage } from "./reference-events.js";
import {
  EMPTY_REFERENCE_MEMORY,
  type ReferenceMemory,
  toCoderAgentMessages,
} from "./reference-stream.js";

/**
 * Creates a bus for the events of the server reference. It calls handlers by the type of an event.
 * (server reference, "Event System")
 */
export function createCoderAgentBus(): EventBus<CoderAgentMessage, "type"> {
  return createBusBy<CoderAgentMessage, "type">("type");
}

/** Creates a function that converts each event of a session to the bus's events, and emits them. */
export function emitCoderAgentEvents({
  emit,
}: Pick<EventBus<CoderAgentMessage, "type">, "emit">): (event: SessionEvent) => void {
  const memories = new Map<string, ReferenceMemory>();
  return (event) => {
    const { taskId } = event;
    const known = memories.get(taskId) ?? EMPTY_REFERENCE_MEMORY;
    const { memory, messages } = toCoderAgentMessages(known, event, { isLast: false });
    if (event.kind === "STATE_CHANGE" && isTerminalState(event.state)) memories.delete(taskId);
    else memories.set(taskId, memory);
    for (const message of messages) emit(message);
  };
}
