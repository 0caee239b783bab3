import type { SessionFacts } from "../gen/dt_session/event.js";
import type { AgentEvent } from "./agent-event.js";
import type { FactEvent, TaskView } from "./task-view.js";

/** Maximum number of processes in a view. */
export const MAX_PROCESSES = 32;

/** Functions that change the facts, by the kind of the event. */
const CHANGES: {
  readonly [TKind in FactEvent["kind"]]: (
    event: Extract<FactEvent, { kind: TKind }>,
    known: SessionFacts,
  ) => Partial<SessionFacts>;
} = {
  TITLE: ({ title }) => ({ title }),
  TODOS: ({ todos }) => ({ todos }),
  USAGE: ({ report }) => ({ usage: report }),
  MODE: ({ mode }) => ({ mode }),
  BACKGROUND_PROCESS: ({ backgroundProcess: changed }, { processes }) => ({
    processes: [...processes.filter(({ processId }) => processId !== changed.processId), changed]
      // The processes that changed last are kept.
      .slice(-MAX_PROCESSES),
  }),
  // The todo list belonged to the removed part of the conversation.
  REWOUND: () => ({ todos: [] }),
};

/** Returns true for an event that changes a fact of the session. */
export function isFactEvent<TEvent extends AgentEvent>(
  event: TEvent,
): event is Extract<TEvent, FactEvent> {
  return Object.hasOwn(CHANGES, event.kind);
}

/** Folds an event that changes a fact of the session into the view. */
export function withFact(view: TaskView, event: FactEvent): TaskView {
  const known = { ...NO_FACTS, ...view.facts };
  // The cast is safe, because the table has the function of each kind.
  const change = CHANGES[event.kind] as (event: FactEvent, known: SessionFacts) => object;
  return {
    ...(event.kind === "REWOUND" ? withoutRewound(view, event.rewound.messageId) : view),
    facts: { ...known, ...change(event, known) },
  };
}

const NO_FACTS: SessionFacts = { title: "", todos: [], processes: [] };

/**
 * Removes a prompt and everything after it. If the prompt is older than the items of the view, no item
 * remains.
 */
function withoutRewound(view: TaskView, messageId: string): TaskView {
  const start = view.items.findIndex(
    ({ event }) => event.kind === "USER_PROMPT" && event.messageId === messageId,
  );
  return { ...view, items: view.items.slice(0, Math.max(start, 0)), isTextOpen: false };
}
