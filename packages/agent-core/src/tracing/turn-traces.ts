import { type Context, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { type OpenSpan, openSpan } from "./in-span.js";

/** Parent contexts for the spans of a session's turns. */
export interface TurnTraces {
  /** Makes the context that is active now the parent of the turn. */
  prompted(turn: number): void;
  /** Returns the parent context of a turn. After a restart this is the root context. */
  parentOf(turn: number): Context;
  /** Makes the turn's own span the parent of the spans that the turn starts. */
  started(turn: number, within: Context): void;
  /** Returns the trace id of a turn that waits or runs. */
  traceIdOf(turn: number): string | undefined;
  /** Starts the span of a question. `answered` or `ended` ends it. */
  asked(
    question: { readonly toolCallId: string; readonly toolName: string },
    parent: Context,
  ): void;
  answered(toolCallId: string, optionId: string): void;
  /** Ends the spans of the turn's open questions and drops the turn's context. */
  ended(turn: number): void;
}

/** Creates the traces of a session. They store only turns that have not ended, and only if tracing is on. */
export function createTurnTraces(): TurnTraces {
  // Both maps are created lazily, because tracing is usually off.
  let parents: Map<number, Context> | undefined;
  let questions: Map<string, OpenSpan> | undefined;
  function storeContext(turn: number, within: Context): void {
    if (trace.getSpan(within)?.isRecording() !== true) return;
    parents ??= new Map();
    parents.set(turn, within);
  }

  return {
    prompted: (turn) => storeContext(turn, context.active()),
    started: storeContext,
    parentOf: (turn) => parents?.get(turn) ?? ROOT_CONTEXT,
    traceIdOf(turn) {
      const parent = parents?.get(turn);
      return parent === undefined ? undefined : trace.getSpanContext(parent)?.traceId;
    },
    asked({ toolCallId, toolName }, parent) {
      if (trace.getSpan(parent)?.isRecording() !== true) return;
      const attributes = { "gen_ai.tool.call.id": toolCallId, "gen_ai.tool.name": toolName };
      questions ??= new Map();
      questions.set(toolCallId, openSpan({ name: "question", attributes }, parent));
    },
    answered(toolCallId, optionId) {
      const question = questions?.get(toolCallId);
      question?.span.setAttribute("dt.answer", optionId).end();
      questions?.delete(toolCallId);
    },
    ended(turn) {
      // Earlier turns are dropped too, because they have ended or were withdrawn.
      for (const known of parents?.keys() ?? []) if (known <= turn) parents?.delete(known);
      for (const { span } of questions?.values() ?? []) span.end();
      questions?.clear();
    },
  };
}
