import type { Citation, Usage } from "@dt/schema";
import type { ReplyEnd } from "../check-reply.js";
import type { ModelPart } from "../model-part.js";
import { parseThought } from "../parse-thought.js";
import { toToolInput } from "../parse-tool-input.js";
import {
  readListField,
  readObjectField,
  readTextField,
  readTokensField,
} from "../vendor/vendor-fields.js";
import { fromFinishReason } from "./from-finish-reason.js";

/**
 * Converts one chunk of Gemini's stream. Every field may be missing or null. Throws a transient failure for
 * a field of the wrong type. Pure.
 */
export function fromGeminiChunk(value: unknown): readonly (ModelPart | ReplyEnd)[] {
  const chunk = readObjectField({ chunk: value }, "chunk") ?? {};
  const candidate = readObjectField(readListField(chunk, "candidates"), 0) ?? {};
  const usage = readObjectField(chunk, "usageMetadata");
  const finishReason = readTextField(candidate, "finishReason");
  const blockReason = readTextField(readObjectField(chunk, "promptFeedback") ?? {}, "blockReason");
  return [
    ...readObjectsField(readObjectField(candidate, "content") ?? {}, "parts").flatMap(fromPart),
    ...citationsOf(candidate).map((citation) => ({ type: "citation", citation }) as const),
    ...(usage === undefined ? [] : [fromUsage(usage)]),
    ...(finishReason === ""
      ? []
      : [
          fromFinishReason({
            finishReason,
            finishMessage: readTextField(candidate, "finishMessage"),
          }),
        ]),
    ...(blockReason === ""
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

function fromPart(part: object): readonly ModelPart[] {
  const signature = readTextField(part, "thoughtSignature");
  const signed = signature === "" ? {} : { signature };
  const call = readObjectField(part, "functionCall");
  if (call !== undefined) {
    const toolName = readTextField(call, "name");
    const { args } = call;
    return [{ type: "tool-request", toolName, ...toToolInput(args ?? undefined), ...signed }];
  }
  const text = readTextField(part, "text");
  if ("thought" in part && part.thought === true) {
    return text.trim() === "" ? [] : [{ type: "thought", thought: parseThought(text) }];
  }
  const data = readObjectField(part, "inlineData");
  if (data !== undefined) {
    const [mediaType, bytes] = [readTextField(data, "mimeType"), readTextField(data, "data")];
    return [{ type: "file", file: { bytes, ...(mediaType !== "" && { mediaType }) } }];
  }
  return text === "" && signature === "" ? [] : [{ type: "text", text, ...signed }];
}

function citationsOf(candidate: object): readonly Citation[] {
  const cited = readObjectField(candidate, "citationMetadata") ?? {};
  const grounding = readObjectField(candidate, "groundingMetadata") ?? {};
  const sources = [
    // The Gemini API and Vertex AI name the list differently.
    ...readObjectsField(cited, "citationSources"),
    ...readObjectsField(cited, "citations"),
    ...readObjectsField(grounding, "groundingChunks").flatMap((chunk) => [
      readObjectField(chunk, "web") ?? {},
      readObjectField(chunk, "retrievedContext") ?? {},
    ]),
  ];
  return sources.flatMap((source) => {
    const [uri, title] = [readTextField(source, "uri"), readTextField(source, "title")];
    return uri === "" && title === "" ? [] : [{ uri, title }];
  });
}

function readObjectsField(owner: object, name: string): readonly object[] {
  const list = readListField(owner, name);
  return list.map((_, index) => readObjectField(list, index) ?? {});
}

function fromUsage(counted: object): ModelPart {
  const usage: Usage = {
    inputTokens:
      readTokensField(counted, "promptTokenCount") +
      readTokensField(counted, "toolUsePromptTokenCount"),
    outputTokens: readTokensField(counted, "candidatesTokenCount"),
    thoughtTokens: readTokensField(counted, "thoughtsTokenCount"),
    cachedTokens: readTokensField(counted, "cachedContentTokenCount"),
  };
  return { type: "usage", usage };
}
