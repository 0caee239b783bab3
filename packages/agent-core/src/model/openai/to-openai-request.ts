import type { Part } from "@dt/schema";
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { answeredHistory } from "../answered-history.js";
import { toFileContent } from "../file-content.js";
import type { HistoryItem, ModelHistoryPart, ToolResult } from "../history.js";
import type { ModelRequest } from "../model.js";

/** Converts a request to the format of chat completions. */
export function toOpenaiRequest(
  model: string,
  { history, tools, system, maxOutputTokens }: Omit<ModelRequest, "signal">,
): ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
      ...answeredHistory(history).flatMap(toMessages),
    ],
    // Some servers refuse an empty list.
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: "function" as const,
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toMessages(item: HistoryItem): readonly ChatCompletionMessageParam[] {
  switch (item.role) {
    case "user":
      return item.parts.length === 0 ? [] : [{ role: "user", content: toContent(item.parts) }];
    case "model":
      return fromModelParts(item.parts);
    case "tool":
      return fromToolResults(item.results);
  }
}

// Converts the results of tool calls. The message of a tool may contain only text, so images follow in a
// separate message.
function fromToolResults(results: readonly ToolResult[]): readonly ChatCompletionMessageParam[] {
  const images = results.flatMap(({ image }) => (image ? [toImage(image)] : []));
  return [
    ...results.map(({ toolCallId, text, isError }) => ({
      role: "tool" as const,
      tool_call_id: toolCallId,
      content: isError ? `error: ${text}` : text,
    })),
    ...(images.length > 0 ? [{ role: "user" as const, content: images }] : []),
  ];
}

function toImage(image: { mediaType: string; bytes: string }): ChatCompletionContentPart {
  const url = `data:${image.mediaType};base64,${image.bytes}`;
  return { type: "image_url", image_url: { url } };
}

// Converts the parts of a prompt. Text without images is sent as a string, because simple servers accept
// nothing else.
function toContent(parts: readonly Part[]): string | ChatCompletionContentPart[] {
  const content = parts.map(fromPromptPart);
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === content.length ? texts.join("\n") : content;
}

function fromPromptPart(part: Part): ChatCompletionContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "data") return { type: "text", text: JSON.stringify(part.data) };
  const file = toFileContent(part);
  switch (file.type) {
    case "image":
      return toImage(file);
    case "image-address":
      return { type: "image_url", image_url: { url: file.uri } };
    case "text":
      return file;
  }
}

function fromModelParts(said: readonly ModelHistoryPart[]): readonly ChatCompletionMessageParam[] {
  const text = said.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = said.flatMap((part) => (part.type === "tool-request" ? [part.request] : []));
  if (text === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ toolCallId, toolName, input }) => ({
          id: toolCallId,
          type: "function" as const,
          function: { name: toolName, arguments: JSON.stringify(input) },
        })),
      }),
    },
  ];
}
