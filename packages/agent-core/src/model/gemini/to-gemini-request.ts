import type { Part } from "@dt/schema";
import type {
  Content,
  Part as GeminiPart,
  GenerateContentParameters,
  ThinkingConfig,
} from "@google/genai";
import { answeredHistory } from "../answered-history.js";
import { toFileContent } from "../file-content.js";
import type { HistoryItem, ModelHistoryPart, ToolResult } from "../history.js";
import type { ModelRequest, Thinking } from "../model.js";

/** Gemini 3 accepts this text instead of a signature, for calls that another model asked for. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Converts a request to the format of Gemini. */
export function toGeminiRequest(
  model: string,
  { history, tools, system, maxOutputTokens }: Omit<ModelRequest, "signal">,
  thinking: Thinking = "on",
): GenerateContentParameters {
  return {
    model,
    contents: answeredHistory(history)
      .map((item) => toContent(item, model))
      .filter(({ parts = [] }) => parts.length > 0),
    config: {
      ...(system !== undefined && { systemInstruction: system }),
      ...(tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, parameters }) => ({
              name,
              description,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(canThink(model) && { thinkingConfig: toThinkingConfig(model, thinking) }),
      // The SDK must not run calls by itself, and must not request the rest of a reply by itself.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  };
}

/** Converts a request to the body of the REST interface, whose names differ from those of the SDK. */
export function toGeminiBody({ contents, config = {} }: GenerateContentParameters): object {
  const { systemInstruction: text, tools, thinkingConfig, maxOutputTokens } = config;
  return {
    contents,
    ...(text !== undefined && { systemInstruction: { role: "user", parts: [{ text }] } }),
    ...(tools !== undefined && { tools }),
    generationConfig: {
      ...(thinkingConfig !== undefined && { thinkingConfig }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
  };
}

// Returns true if a model accepts a request for thoughts. Older models refuse such a request.
function canThink(model: string): boolean {
  return /^gemini-(?!1\.|2\.0)/.test(model);
}

/** Smallest thinking budget in tokens that a model accepts if its thinking cannot be switched off. */
const LEAST_THINKING = 128;

function toThinkingConfig(model: string, thinking: Thinking): ThinkingConfig {
  if (thinking === "on") return { includeThoughts: true };
  if (thinking !== "off") return { includeThoughts: true, thinkingBudget: thinking };
  // These models refuse a budget of 0.
  const alwaysThinks = /^gemini-(?:2\.5-pro|3)/.test(model);
  return { includeThoughts: false, thinkingBudget: alwaysThinks ? LEAST_THINKING : 0 };
}

function toContent(item: HistoryItem, model: string): Content {
  switch (item.role) {
    case "user":
      return { role: "user", parts: item.parts.flatMap(fromPromptPart) };
    case "model":
      return { role: "model", parts: fromModelParts(item.parts, model) };
    case "tool":
      return { role: "user", parts: item.results.flatMap(fromToolResult) };
  }
}

function fromPromptPart(part: Part): readonly GeminiPart[] {
  if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
  if (part.type === "data") return [{ text: JSON.stringify(part.data) }];
  const file = toFileContent(part);
  switch (file.type) {
    case "image":
      return [{ inlineData: { mimeType: file.mediaType, data: file.bytes } }];
    case "image-address":
      return [{ fileData: { mimeType: file.mediaType, fileUri: file.uri } }];
    case "text":
      return [{ text: file.text }];
  }
}

function fromModelParts(said: readonly ModelHistoryPart[], model: string): GeminiPart[] {
  const firstCall = said.findIndex((part) => part.type === "tool-request");
  return said.flatMap((part, index): readonly GeminiPart[] => {
    if (part.type === "text") {
      const { text, signature } = part;
      if (signature !== undefined) return [{ text, thoughtSignature: signature }];
      return text === "" ? [] : [{ text }];
    }
    const { toolCallId, toolName, input, signature } = part.request;
    const isSignatureNeeded = index === firstCall && model.startsWith("gemini-3");
    const thoughtSignature = signature ?? (isSignatureNeeded ? NO_SIGNATURE : undefined);
    return [
      {
        functionCall: { id: toolCallId, name: toolName, args: { ...input } },
        ...(thoughtSignature !== undefined && { thoughtSignature }),
      },
    ];
  });
}

function fromToolResult(result: ToolResult): readonly GeminiPart[] {
  const { toolCallId, toolName, text, isError, image } = result;
  const response = isError ? { error: text } : { output: text };
  return [
    { functionResponse: { id: toolCallId, name: toolName, response } },
    ...(image ? [{ inlineData: { mimeType: image.mediaType, data: image.bytes } }] : []),
  ];
}
