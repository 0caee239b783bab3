import type { Part } from "@dt/schema";
import type { Model, ModelRequest } from "../../model/model.js";
import type { ModelPart } from "../../model/model-part.js";

/** An answer, read to its end. */
export interface CollectedAnswer {
  readonly parts: readonly ModelPart[];
  /** The text parts, joined. */
  readonly text: string;
  readonly notices: readonly string[];
  /** The message of what was thrown, if anything was. */
  readonly error?: string;
}

/** Asks a model and reads its answer to the end, or to its error. */
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

/** A request with one prompt. */
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
