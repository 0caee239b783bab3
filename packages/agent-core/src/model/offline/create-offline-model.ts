import { setImmediate } from "node:timers/promises";
import { textOf } from "@dt/schema";
import type { HistoryItem } from "../history.js";
import { type Model, ModelError } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { abortableSleep, type Sleep } from "../retry/abortable-sleep.js";
import { OFFLINE_GRAMMAR, type OfflineStep, parseOfflineScript } from "./offline-script.js";

const INTRODUCTION = [
  "This is dt's offline model: no language model is connected, so it only follows simple instructions.",
  `It understands, separated by " then " or new lines: ${OFFLINE_GRAMMAR.join(", ")}.`,
  "To connect a real model, set GEMINI_API_KEY and start again; or set OPENAI_BASE_URL (Ollama, vLLM, LM Studio) and start with --model openai:NAME.",
].join("\n");

const CHUNKS_AT_A_TIME = 64;

/** Options of {@link createOfflineModel}. */
export interface OfflineModelOptions {
  /** Waits when the model follows the instruction `wait`. Tests replace this function. */
  readonly sleep?: Sleep;
}

/** Creates the model that dt uses without a key. It follows a few kinds of instructions, always in the same way. */
export function createOfflineModel(options: OfflineModelOptions = {}): Model {
  return {
    name: "offline",
    async *stream({ history, signal, purpose }) {
      if (purpose === "summary") {
        yield { type: "text", text: summaryOf(history) };
        return;
      }
      const steps = nextSteps(history);
      if (steps === undefined) yield { type: "text", text: INTRODUCTION };
      for (const step of steps ?? []) {
        if (signal.aborted) return;
        if (step.type === "wait") await (options.sleep ?? abortableSleep)(step.ms, signal);
        else if (step.type === "chunks") yield* chunks(step.count, signal);
        else yield* partsOf(step);
      }
    },
  };
}

/** Returns a summary that repeats all prompts, because the offline model cannot judge which ones matter. */
function summaryOf(history: readonly HistoryItem[]): string {
  // The last item is the instruction to write the summary.
  const prompts = history.slice(0, -1).flatMap((item) => (item.role === "user" ? [item] : []));
  return prompts.map(({ parts }) => `- the user asked: ${textOf(parts)}`).join("\n");
}

/**
 * Finds the instructions for the next reply in the last prompt. Returns undefined if the prompt does not follow
 * the grammar. Each reply ends with its first tool call, so the number of replies since the prompt is the
 * number of calls so far.
 */
function nextSteps(history: readonly HistoryItem[]): readonly OfflineStep[] | undefined {
  const start = history.findLastIndex((item) => item.role === "user");
  const prompt = history[start];
  if (prompt?.role !== "user") return undefined;
  const repliesGiven = history.slice(start).filter((item) => item.role === "model").length;
  const steps = parseOfflineScript(textOf(prompt.parts));
  return steps === undefined ? undefined : stepsOfReply(steps, repliesGiven);
}

function stepsOfReply(steps: readonly OfflineStep[], repliesGiven: number): readonly OfflineStep[] {
  let rest = steps;
  for (let given = 0; given < repliesGiven; given += 1) {
    const call = rest.findIndex((step) => step.type === "call");
    rest = call < 0 ? [] : rest.slice(call + 1);
  }
  const call = rest.findIndex((step) => step.type === "call");
  return call < 0 ? rest : rest.slice(0, call + 1);
}

// Yields `count` texts. Pauses between them let other work run, such as a cancel.
async function* chunks(count: number, signal: AbortSignal): AsyncGenerator<ModelPart> {
  for (let chunk = 1; chunk <= count && !signal.aborted; chunk += 1) {
    yield { type: "text", text: `chunk ${chunk}\n` };
    if (chunk % CHUNKS_AT_A_TIME === 0) await setImmediate();
  }
}

function* partsOf(step: Exclude<OfflineStep, { type: "wait" | "chunks" }>): Generator<ModelPart> {
  switch (step.type) {
    case "say":
      yield { type: "text", text: step.text };
      return;
    case "think": {
      const { subject, description } = step;
      yield { type: "thought", thought: { subject, description } };
      return;
    }
    case "call":
      yield { type: "tool-request", toolName: step.toolName, input: step.input };
      return;
    case "fail":
      throw new ModelError(step.text);
  }
}
