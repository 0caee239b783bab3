import { textOf } from "@dt/schema";
import type { HistoryItem } from "../history.js";
import type { Model } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { type OfflineStep, offlineGrammar, parseOfflineScript } from "./offline-script.js";

const introduction = [
  "This is dt's offline model: no language model is connected, so it only follows simple orders.",
  `It understands, separated by " then " or new lines: ${offlineGrammar.join(", ")}.`,
  "To connect a real model, set GEMINI_API_KEY and start again.",
].join("\n");

/** The embedded default: follows a small documented set of orders, the same way every time. */
export function createOfflineModel(): Model {
  return {
    name: "offline",
    async *stream({ history }) {
      yield* nextParts(history);
    },
  };
}

/**
 * What comes next is read off the conversation: each answer says what it can and ends with the first
 * tool it needs; the answers since the prompt tell how many tools came before.
 */
function* nextParts(history: readonly HistoryItem[]): Generator<ModelPart> {
  const start = history.findLastIndex((item) => item.role === "user");
  const prompt = history[start];
  const steps = prompt?.role === "user" ? parseOfflineScript(textOf(prompt.parts)) : undefined;
  if (steps === undefined) {
    yield { type: "text", text: introduction };
    return;
  }
  const answersGiven = history.slice(start).filter((item) => item.role === "model").length;
  yield* partsOf(stepsOfAnswer(steps, answersGiven));
}

function stepsOfAnswer(steps: readonly OfflineStep[], answer: number): readonly OfflineStep[] {
  let rest = steps;
  for (let given = 0; given < answer; given += 1) {
    const call = rest.findIndex((step) => step.type === "call");
    rest = call < 0 ? [] : rest.slice(call + 1);
  }
  const call = rest.findIndex((step) => step.type === "call");
  return call < 0 ? rest : rest.slice(0, call + 1);
}

function* partsOf(steps: readonly OfflineStep[]): Generator<ModelPart> {
  for (const step of steps) {
    if (step.type === "say") yield { type: "text", text: step.text };
    else yield { type: "tool-request", toolName: step.toolName, input: step.input };
  }
}
