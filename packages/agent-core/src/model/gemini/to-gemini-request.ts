import type { Part } from "@dt/schema";
import type { Content, Part as GeminiPart, GenerateContentParameters } from "@google/genai";
import { answeredHistory } from "../answered-history.js";
import { toFileContent } from "../file-content.js";
import type { HistoryItem, ModelSaid, ToolResult } from "../history.js";
import type { ModelRequest } from "../model.js";

/** What Gemini 3 accepts in place of a signature for calls that another model asked for. */
const unsigned = "skip_thought_signature_validator";

/** A request → Gemini's. */
export function toGeminiRequest(
  model: string,
  { history, tools, system }: Omit<ModelRequest, "signal">,
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
      ...(canThink(model) && { thinkingConfig: { includeThoughts: true } }),
      // What the SDK would do by itself: calls are ours to run, tries ours to count.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  };
}

// Older families refuse the option.
function canThink(model: string): boolean {
  return /^gemini-(?!1\.|2\.0)/.test(model);
}

function toContent(item: HistoryItem, model: string): Content {
  switch (item.role) {
    case "user":
      return { role: "user", parts: item.parts.flatMap(fromPromptPart) };
    case "model":
      return { role: "model", parts: fromModelSaid(item.parts, model) };
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

function fromModelSaid(said: readonly ModelSaid[], model: string): GeminiPart[] {
  const firstCall = said.findIndex((part) => part.type === "tool-request");
  return said.flatMap((part, index): readonly GeminiPart[] => {
    if (part.type === "text") {
      const { text, signature } = part;
      if (signature !== undefined) return [{ text, thoughtSignature: signature }];
      return text === "" ? [] : [{ text }];
    }
    const { toolCallId, toolName, input, signature } = part.request;
    const isUnsigned = index === firstCall && model.startsWith("gemini-3");
    const thoughtSignature = signature ?? (isUnsigned ? unsigned : undefined);
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
