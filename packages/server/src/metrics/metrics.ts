import type { EventKind, ToolCallStatus } from "@dt/schema";

/** Counts the work of a server. Calls are cheap and never throw. */
export interface Metrics {
  eventCommitted(kind: EventKind): void;
  turnEnded(turn: MeasuredTurn): void;
  toolCallEnded(call: MeasuredToolCall): void;
  questionAnswered(question: MeasuredQuestion): void;
  tokensUsed(tokens: MeasuredTokens): void;
  /** A group of appends was committed or refused. */
  groupCommitted(group: MeasuredCommit): void;
  /** A call of a method was answered, or its stream began. */
  callAnswered(call: MeasuredCall): void;
  /** A request was refused because of a limit per minute. */
  rateLimited(limit: MeasuredLimit): void;
  /** A call of a model was not made, because it would cross a budget. */
  budgetRefused(refusal: BudgetRefusal): void;
  /** A model has used tokens or money of the owner of a session. */
  ownerCharged(charge: OwnerCharge): void;
  /** A receiver was called. */
  pushed(call: MeasuredPush): void;
  /** Returns all figures as a page for Prometheus. */
  page(gauges: Gauges): Promise<MetricsPage>;
}

/** A turn that ended. `seconds` is absent if its start is not known. */
export interface MeasuredTurn {
  readonly state: "completed" | "failed" | "canceled" | "rejected";
  readonly seconds?: number;
}

/** A tool call that ended. `seconds` is absent if it never ran, or if its start is not known. */
export interface MeasuredToolCall {
  readonly tool: string;
  readonly status: ToolCallStatus;
  readonly seconds?: number;
}

/** A question, and the time until its answer. `option` is "none" if the tool call ended without an answer. */
export interface MeasuredQuestion {
  readonly option: string;
  readonly seconds?: number;
}

/** Number of tokens of one type, as the model counted them. */
export interface MeasuredTokens {
  readonly model: string;
  readonly type: "input" | "output" | "thought" | "cached";
  readonly count: number;
}

/** One commit of the store, which contains the appends of one or more sessions. */
export interface MeasuredCommit {
  readonly appends: number;
  readonly seconds: number;
  readonly isStored: boolean;
}

/** One call of a method. */
export interface MeasuredCall {
  readonly operation: string;
  readonly version: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

/** The limit per minute that refused a request. */
export type MeasuredLimit = "requests" | "prompts" | "anonymous" | "sign_ins";

/** The budget that a call of a model would cross. */
export interface BudgetRefusal {
  readonly scope: "session" | "day";
  readonly unit: "tokens" | "money";
}

/** Tokens or money that a model has used. They are charged to the user who owns the session. */
export interface OwnerCharge {
  readonly user: string;
  readonly tokens?: number;
  readonly dollars?: number;
}

/** One call to a receiver. */
export interface MeasuredPush {
  /** `retried` if the call is repeated later; `gaveUp` if the receiver is no longer called. */
  readonly outcome: "delivered" | "retried" | "gaveUp";
  readonly ms: number;
}

/** Figures that are read when the page is requested. */
export interface Gauges {
  readonly sessionsInMemory: number;
  readonly turnsRunning: number;
  /** Number of prompts that wait because too many turns run. */
  readonly promptsWaiting: number;
  /** Number of prompts that wait until the turn before them in the queue of their session has ended. */
  readonly promptsQueued: number;
  readonly subscribers: number;
  /** Number of events that the slowest subscriber has not read. */
  readonly subscriberLag: number;
  readonly sockets: number;
  /** Number of push configs that have something to deliver, or wait for the next attempt. */
  readonly pushesPending: number;
  readonly activeTasks: number;
  readonly totalTasks: number;
}

/** A page of figures. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}
