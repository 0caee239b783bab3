import type { Model, ModelRequest } from "../model/model.js";
import type { ModelPart } from "../model/model-part.js";

/** One answer of a scripted model: its parts, or a function of the request. */
export type ScriptedAnswer =
  | readonly ModelPart[]
  | ((request: ModelRequest) => AsyncIterable<ModelPart> | Iterable<ModelPart>);

/**
 * Creates a model that plays a script, one answer per request. After the script, every answer is
 * empty.
 */
export function scriptedModel(answers: readonly ScriptedAnswer[]): Model {
  let next = 0;
  return {
    name: "scripted",
    async *stream(request) {
      const answer = answers[next];
      next += 1;
      if (answer === undefined) return;
      yield* typeof answer === "function" ? answer(request) : answer;
    },
  };
}

/** Builds a text part. */
export function say(text: string): ModelPart {
  return { type: "text", text };
}

/** Builds a tool request. */
export function callTool(
  toolName: string,
  input: Readonly<Record<string, unknown>> = {},
): ModelPart {
  return { type: "tool-request", toolName, input };
}
