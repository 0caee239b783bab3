import type { EventKind, ToolCallStatus } from "@dt/schema";

/** Told what a server does, so that it can be counted. Each call is cheap and none throws. */
export interface Metrics {
  eventCommitted(kind: EventKind): void;
  turnEnded(turn: MeasuredTurn): void;
  toolCallEnded(call: MeasuredToolCall): void;
  questionAnswered(question: MeasuredQuestion): void;
  tokensUsed(tokens: MeasuredTokens): void;
  /** Some appends were made durable together, or could not be. */
  groupCommitted(group: MeasuredCommit): void;
  /** A method was answered, or its stream began. */
  callAnswered(call: MeasuredCall): void;
  /** A receiver was called back. */
  pushed(call: MeasuredPush): void;
  /** All of it as a page for whoever collects it. */
  page(gauges: Gauges): Promise<MetricsPage>;
}

/** A turn that ended. Seconds are absent where its beginning lies before a restart. */
export interface MeasuredTurn {
  readonly state: "completed" | "failed" | "canceled";
  readonly seconds?: number;
}

/** A tool call that ended, and how long it ran if it did. */
export interface MeasuredToolCall {
  readonly tool: string;
  readonly status: ToolCallStatus;
  readonly seconds?: number;
}

/** A question that was answered, and how long it had waited. */
export interface MeasuredQuestion {
  readonly option: string;
  readonly seconds?: number;
}

/** Tokens that a model counted. */
export interface MeasuredTokens {
  readonly model: string;
  readonly type: "input" | "output" | "thought" | "cached";
  readonly count: number;
}

/** One commit of the store. */
export interface MeasuredCommit {
  readonly appends: number;
  readonly seconds: number;
  readonly isStored: boolean;
}

/** One call of a method. */
export interface MeasuredCall {
  readonly operation: string;
  readonly version: string;
  /** "ok", or the code of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

/** One call to a receiver. */
export interface MeasuredPush {
  /** It took the call; the call is made again later; or it is not called any more. */
  readonly outcome: "delivered" | "retried" | "gaveUp";
  readonly ms: number;
}

/** What is read when someone looks. */
export interface Gauges {
  readonly sessionsInMemory: number;
  readonly turnsRunning: number;
  /** Prompts that wait because too many turns run. */
  readonly promptsWaiting: number;
  /** Prompts that wait for the turn before them in their session. */
  readonly promptsQueued: number;
  readonly observers: number;
  /** How many events the observer that lags most has not read. */
  readonly observerLag: number;
  readonly sockets: number;
  /** Receivers that have something to be told, or wait to be called again. */
  readonly pushesPending: number;
  readonly activeTasks: number;
  readonly totalTasks: number;
}

/** A page of figures. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}
