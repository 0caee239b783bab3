import { type Context, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { type OpenSpan, openSpan } from "./in-span.js";

/** What the traces of a session's turns hang on. */
export interface TurnTraces {
  /** The turn belongs to whatever asks for it now. */
  prompted(turn: number): void;
  /** What the turn belongs to; after a restart nothing that is known. */
  parentOf(turn: number): Context;
  /** The turn runs, as a span of its own. */
  started(turn: number, within: Context): void;
  /** The id of the trace that a turn waits or runs in. */
  traceIdOf(turn: number): string | undefined;
  /** A question was put to people. */
  asked(
    question: { readonly toolCallId: string; readonly toolName: string },
    parent: Context,
  ): void;
  answered(toolCallId: string, optionId: string): void;
  /** The turn has ended: what still waited does not any more. */
  ended(turn: number): void;
}

/** Keeps contexts and questions only while their turns wait or run, and only where someone traces. */
export function createTurnTraces(): TurnTraces {
  const parents = new Map<number, Context>();
  const questions = new Map<string, OpenSpan>();
  function keep(turn: number, within: Context): void {
    if (trace.getSpan(within)?.isRecording() === true) parents.set(turn, within);
  }

  return {
    prompted: (turn) => keep(turn, context.active()),
    started: keep,
    parentOf: (turn) => parents.get(turn) ?? ROOT_CONTEXT,
    traceIdOf(turn) {
      const parent = parents.get(turn);
      return parent === undefined ? undefined : trace.getSpanContext(parent)?.traceId;
    },
    asked({ toolCallId, toolName }, parent) {
      if (trace.getSpan(parent)?.isRecording() !== true) return;
      const attributes = { "gen_ai.tool.call.id": toolCallId, "gen_ai.tool.name": toolName };
      questions.set(toolCallId, openSpan({ name: "question", attributes }, parent));
    },
    answered(toolCallId, optionId) {
      const question = questions.get(toolCallId);
      question?.span.setAttribute("dt.answer", optionId).end();
      questions.delete(toolCallId);
    },
    ended(turn) {
      // Those before it were withdrawn.
      for (const known of parents.keys()) if (known <= turn) parents.delete(known);
      for (const { span } of questions.values()) span.end();
      questions.clear();
    },
  };
}
