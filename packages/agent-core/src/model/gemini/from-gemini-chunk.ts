import type { Citation, Usage } from "@dt/schema";
import type {
  Candidate,
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
  Part,
} from "@google/genai";
import type { AnswerEnd } from "../judge-answer.js";
import type { ModelPart } from "../model-part.js";
import { parseThought } from "../parse-thought.js";
import { toToolInput } from "../parse-tool-input.js";
import { fromFinishReason } from "./from-finish-reason.js";

/** A chunk as it comes off the wire; only what is read here is relied upon. */
export type GeminiChunk = Pick<
  GenerateContentResponse,
  "candidates" | "promptFeedback" | "usageMetadata"
>;

/** One chunk of Gemini's stream → what it says. Pure; a chunk without candidates says nothing. */
export function fromGeminiChunk(chunk: GeminiChunk): readonly (ModelPart | AnswerEnd)[] {
  const candidate = chunk.candidates?.[0];
  const { blockReason } = chunk.promptFeedback ?? {};
  return [
    ...(candidate?.content?.parts ?? []).flatMap(fromPart),
    ...citationsOf(candidate).map((citation) => ({ type: "citation", citation }) as const),
    ...(chunk.usageMetadata === undefined ? [] : [fromUsage(chunk.usageMetadata)]),
    ...(candidate?.finishReason === undefined ? [] : [fromFinishReason(candidate)]),
    ...(blockReason === undefined
      ? []
      : [
          {
            type: "end",
            how: "refused",
            reason: `the prompt was blocked (${blockReason})`,
          } as const,
        ]),
  ];
}

function fromPart(part: Part): readonly ModelPart[] {
  const { thoughtSignature } = part;
  const signed = thoughtSignature === undefined ? {} : { signature: thoughtSignature };
  if (part.functionCall !== undefined) {
    const { name = "", args } = part.functionCall;
    return [{ type: "tool-request", toolName: name, ...toToolInput(args), ...signed }];
  }
  if (part.text !== undefined && part.thought === true) {
    return part.text.trim() === "" ? [] : [{ type: "thought", thought: parseThought(part.text) }];
  }
  if (part.inlineData !== undefined) {
    const mediaType = part.inlineData.mimeType ?? "file";
    return [{ type: "notice", text: `the model sent a ${mediaType}, which cannot be shown` }];
  }
  const { text = "" } = part;
  return text === "" && thoughtSignature === undefined ? [] : [{ type: "text", text, ...signed }];
}

function citationsOf(candidate: Candidate | undefined): readonly Citation[] {
  const sources = [
    ...(candidate?.citationMetadata?.citations ?? []),
    ...(candidate?.groundingMetadata?.groundingChunks ?? []).flatMap(({ web, retrievedContext }) =>
      [web, retrievedContext].filter((source) => source !== undefined),
    ),
  ];
  return sources.flatMap(({ uri = "", title = "" }) =>
    uri === "" && title === "" ? [] : [{ uri, title }],
  );
}

function fromUsage(counted: GenerateContentResponseUsageMetadata): ModelPart {
  const usage: Usage = {
    inputTokens: (counted.promptTokenCount ?? 0) + (counted.toolUsePromptTokenCount ?? 0),
    outputTokens: counted.candidatesTokenCount ?? 0,
    thoughtTokens: counted.thoughtsTokenCount ?? 0,
    cachedTokens: counted.cachedContentTokenCount ?? 0,
  };
  return { type: "usage", usage };
}
