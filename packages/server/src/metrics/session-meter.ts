import {
  type ItemEvent,
  isTerminalState,
  isTerminalStatus,
  type StampedEvent,
  type TaskView,
  type Usage,
} from "@dt/schema";
import type { LogEvent } from "../store/session-store.js";
import type { MeasuredTokens, MeasuredTurn, Metrics } from "./metrics.js";

/** Measures one session from its committed events. */
export interface SessionMeter {
  /** Continues the measurements of a task that was pending when the session left memory. */
  resume(view: TaskView): void;
  /** Measures committed events, in order. */
  measure(events: readonly LogEvent[]): void;
  /** Number of prompts that wait in the queue of the session. */
  readonly queuedPrompts: number;
}

type ToolCallUpdate = StampedEvent & { readonly kind: "TOOL_CALL_UPDATE" };
type UsageEvent = StampedEvent & { readonly kind: "USAGE" };
type StateChange = StampedEvent & { readonly kind: "STATE_CHANGE" };

const TOKEN_TYPES = [
  ["input", "inputTokens"],
  ["output", "outputTokens"],
  ["thought", "thoughtTokens"],
  ["cached", "cachedTokens"],
] as const satisfies readonly (readonly [MeasuredTokens["type"], keyof Usage])[];

/** Creates the meter of a session. Its tokens and cost are charged to `owner`. */
export function createSessionMeter(metrics: Metrics, owner: string): SessionMeter {
  // Times at which open calls asked their question and started to run, by call id.
  const askedAt = new Map<string, string>();
  const startedAt = new Map<string, string>();
  let turn: { readonly number: number; readonly at: string } | undefined;
  let counted: { readonly number: number; readonly usage: Usage } | undefined;
  let queued = 0;
  let charged: { readonly number: number | undefined; readonly dollars: number } | undefined;
  // Usage and start of the turn that was open when the session was restored.
  let resumed: { readonly usage?: Usage; readonly at?: string } | undefined;

  function measureState(event: StateChange): void {
    if (event.usage !== undefined) countTokens(event, event.usage);
    const outcome = outcomeOf(event);
    if (outcome === undefined) {
      if (turn?.number !== event.turn) turn = { number: event.turn, at: resumed?.at ?? event.at };
      return;
    }
    const began = turn?.number === event.turn ? turn.at : undefined;
    metrics.turnEnded({ state: outcome, ...secondsBetween(began, event.at) });
    turn = undefined;
    counted = undefined;
    resumed = undefined;
  }

  // Counts the tokens of an event. Each event contains the usage of the turn so far, so only the difference is counted.
  function countTokens({ turn: number, model = "" }: StateChange, usage: Usage): void {
    const before = counted?.number === number ? counted.usage : findResumed(usage);
    counted = { number, usage };
    let tokens = 0;
    for (const [type, field] of TOKEN_TYPES) {
      const count = usage[field] - (before?.[field] ?? 0);
      if (count > 0) metrics.tokensUsed({ model, type, count });
      // Cached tokens are part of the input.
      if (type !== "cached") tokens += Math.max(0, count);
    }
    if (tokens > 0) metrics.ownerCharged({ user: owner, tokens });
  }

  // Counts the cost of an event. Each event contains the cost of the turn so far. The first event after a restore may
  // belong to the turn that was open then.
  function countCost({ turn: number, report }: UsageEvent): void {
    const dollars = Number(report.turnCost?.amount ?? 0);
    const isSameTurn = charged !== undefined && (charged.number ?? number) === number;
    const before = isSameTurn && charged !== undefined ? charged.dollars : 0;
    charged = { number, dollars };
    if (dollars > before) metrics.ownerCharged({ user: owner, dollars: dollars - before });
  }

  // Finds the usage that the turn had when the session was restored; undefined if `usage` is lower, because a lower
  // usage belongs to another turn.
  function findResumed(usage: Usage): Usage | undefined {
    const known = resumed?.usage;
    const isSameTurn =
      known !== undefined && TOKEN_TYPES.every(([, field]) => usage[field] >= known[field]);
    return isSameTurn ? known : undefined;
  }

  function measureCall(event: ToolCallUpdate): void {
    const { toolCall, answer, at } = event;
    const { toolCallId, status, toolName: tool } = toolCall;
    if (toolCall.confirmationRequest !== undefined) askedAt.set(toolCallId, at);
    if (answer !== undefined) countAnswer(event, answer.selectedOptionId);
    if (status === "EXECUTING") startedAt.set(toolCallId, at);
    if (!isTerminalStatus(status)) return;
    metrics.toolCallEnded({ tool, status, ...secondsBetween(startedAt.get(toolCallId), at) });
    startedAt.delete(toolCallId);
    // A question that is still open when its call ends was not answered, e.g. because the turn was cancelled.
    const asked = askedAt.get(toolCallId);
    if (asked !== undefined) {
      metrics.questionAnswered({ option: "none", ...secondsBetween(asked, at) });
    }
    askedAt.delete(toolCallId);
  }

  function countAnswer({ toolCall, at }: ToolCallUpdate, option: string): void {
    const asked = askedAt.get(toolCall.toolCallId);
    askedAt.delete(toolCall.toolCallId);
    metrics.questionAnswered({ option, ...secondsBetween(asked, at) });
  }

  return {
    resume({ usage, items, queue, openCalls, at, facts }) {
      const prompt = items.findLast(({ event }) => event.kind === "USER_PROMPT");
      resumed = { ...(usage && { usage }), ...(prompt && { at: prompt.at }) };
      charged = { number: undefined, dollars: Number(facts?.usage?.turnCost?.amount ?? 0) };
      queued = Math.max(queued, queue.length);
      for (const { toolCallId, confirmationRequest } of openCalls) {
        if (confirmationRequest === undefined) continue;
        const shown = items.find(({ event }) => idOf(event) === toolCallId);
        askedAt.set(toolCallId, shown?.at ?? at);
      }
    },
    measure(events) {
      for (const { event } of events) {
        metrics.eventCommitted(event.kind);
        if (event.kind === "STATE_CHANGE") measureState(event);
        else if (event.kind === "TOOL_CALL_UPDATE") measureCall(event);
        else if (event.kind === "USAGE") countCost(event);
        else if (event.kind === "QUEUE") queued = event.prompts.length;
      }
    },
    get queuedPrompts() {
      return queued;
    },
  };
}

function idOf(event: ItemEvent): string | undefined {
  return event.kind === "TOOL_CALL_UPDATE" ? event.toolCall.toolCallId : undefined;
}

/**
 * Returns the final state of the turn that an event ends; undefined if the event ends no turn. In the open task, a
 * turn ends when the task waits without a question.
 */
function outcomeOf({ state, waiting = [], error }: StateChange): MeasuredTurn["state"] | undefined {
  if (isTerminalState(state)) return state as MeasuredTurn["state"];
  if (state !== "input-required" || waiting.length > 0) return undefined;
  return error === undefined ? "completed" : "failed";
}

function secondsBetween(from: string | undefined, to: string): { readonly seconds?: number } {
  const ms = from === undefined ? Number.NaN : Date.parse(to) - Date.parse(from);
  return Number.isNaN(ms) ? {} : { seconds: Math.max(0, ms) / 1_000 };
}
