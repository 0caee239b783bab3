import type { Part } from "@dt/schema";
import type { Model, ModelRequest } from "../../model/model.js";
import type { ModelPart } from "../../model/model-part.js";

/** A model's answer, up to its end or its error. */
export interface CollectedAnswer {
  readonly parts: readonly ModelPart[];
  /** The text parts, joined. */
  readonly text: string;
  readonly notices: readonly string[];
  /** Message of the error that the model threw; absent without an error. */
  readonly error?: string;
}

/** Sends a request to a model and reads the answer to its end or its error. */
export async function collectAnswer(
  model: Model,
  request: Partial<ModelRequest> = {},
): Promise<CollectedAnswer> {
  const parts: ModelPart[] = [];
  let error: string | undefined;
  try {
    for await (const part of model.stream({ ...emptyRequest(), ...request })) parts.push(part);
  } catch (reason) {
    error = reason instanceof Error ? reason.message : String(reason);
  }
  return {
    parts,
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    notices: parts.flatMap((part) => (part.type === "notice" ? [part.text] : [])),
    ...(error !== undefined && { error }),
  };
}

/** Builds a request with one prompt. */
export function promptRequest(...prompt: readonly (string | Part)[]): Partial<ModelRequest> {
  const parts = prompt.map(
    (part): Part => (typeof part === "string" ? { type: "text", text: part } : part),
  );
  return { history: [{ role: "user", parts }] };
}

function emptyRequest(): ModelRequest {
  return {
    history: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
    tools: [],
    signal: new AbortController().signal,
  };
}
