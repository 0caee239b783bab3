import type { Citation, Usage } from "@dt/schema";
import type { AnswerEnd } from "../judge-answer.js";
import type { ModelPart } from "../model-part.js";
import { parseThought } from "../parse-thought.js";
import { toToolInput } from "../parse-tool-input.js";
import { readList, readNumber, readObject, readText } from "../vendor/vendor-fields.js";
import { fromFinishReason } from "./from-finish-reason.js";

/**
 * One chunk of Gemini's stream → what it says. A chunk without candidates says nothing; one that has not
 * the shape of a chunk throws a failure that is worth another try. Pure.
 */
export function fromGeminiChunk(value: unknown): readonly (ModelPart | AnswerEnd)[] {
  const chunk = readObject({ chunk: value }, "chunk") ?? {};
  const candidate = readObject(readList(chunk, "candidates"), 0) ?? {};
  const usage = readObject(chunk, "usageMetadata");
  const finishReason = readText(candidate, "finishReason");
  const blockReason = readText(readObject(chunk, "promptFeedback") ?? {}, "blockReason");
  return [
    ...readObjects(readObject(candidate, "content") ?? {}, "parts").flatMap(fromPart),
    ...citationsOf(candidate).map((citation) => ({ type: "citation", citation }) as const),
    ...(usage === undefined ? [] : [fromUsage(usage)]),
    ...(finishReason === ""
      ? []
      : [fromFinishReason({ finishReason, finishMessage: readText(candidate, "finishMessage") })]),
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
  const signature = readText(part, "thoughtSignature");
  const signed = signature === "" ? {} : { signature };
  const call = readObject(part, "functionCall");
  if (call !== undefined) {
    const toolName = readText(call, "name");
    const { args } = call;
    return [{ type: "tool-request", toolName, ...toToolInput(args ?? undefined), ...signed }];
  }
  const text = readText(part, "text");
  if ("thought" in part && part.thought === true) {
    return text.trim() === "" ? [] : [{ type: "thought", thought: parseThought(text) }];
  }
  const data = readObject(part, "inlineData");
  if (data !== undefined) {
    const mediaType = readText(data, "mimeType") || "file";
    return [{ type: "notice", text: `the model sent a ${mediaType}, which cannot be shown` }];
  }
  return text === "" && signature === "" ? [] : [{ type: "text", text, ...signed }];
}

function citationsOf(candidate: object): readonly Citation[] {
  const cited = readObject(candidate, "citationMetadata") ?? {};
  const grounding = readObject(candidate, "groundingMetadata") ?? {};
  const sources = [
    ...readObjects(cited, "citations"),
    ...readObjects(grounding, "groundingChunks").flatMap((chunk) => [
      readObject(chunk, "web") ?? {},
      readObject(chunk, "retrievedContext") ?? {},
    ]),
  ];
  return sources.flatMap((source) => {
    const [uri, title] = [readText(source, "uri"), readText(source, "title")];
    return uri === "" && title === "" ? [] : [{ uri, title }];
  });
}

function readObjects(owner: object, name: string): readonly object[] {
  const list = readList(owner, name);
  return list.map((_, index) => readObject(list, index) ?? {});
}

function fromUsage(counted: object): ModelPart {
  const usage: Usage = {
    inputTokens:
      readNumber(counted, "promptTokenCount") + readNumber(counted, "toolUsePromptTokenCount"),
    outputTokens: readNumber(counted, "candidatesTokenCount"),
    thoughtTokens: readNumber(counted, "thoughtsTokenCount"),
    cachedTokens: readNumber(counted, "cachedContentTokenCount"),
  };
  return { type: "usage", usage };
}
