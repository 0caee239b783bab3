import type { ReplyEnd } from "../check-reply.js";
import type { ModelPart } from "../model-part.js";
import {
  readListField,
  readNumberField,
  readObjectField,
  readTextField,
  readTokensField,
} from "../vendor/vendor-fields.js";
import { createThoughtParagraphs } from "./thought-paragraphs.js";
import { createToolCallAssembler, type ToolCallPiece } from "./tool-call-assembler.js";

/** Converts the chunks of one reply to parts. */
export interface OpenaiReader {
  /** Converts a chunk; throws a transient failure if the chunk has the wrong shape. */
  read(chunk: unknown): readonly (ModelPart | ReplyEnd)[];
  /** Returns the last thought and the tool requests, which are complete only at the end of the stream. */
  end(): readonly ModelPart[];
}

/** Creates a reader for the chunks of one chat completion. */
export function createOpenaiReader(): OpenaiReader {
  const calls = createToolCallAssembler();
  const thoughts = createThoughtParagraphs();
  return {
    read(value) {
      const chunk = readObjectField({ chunk: value }, "chunk") ?? {};
      const parts: (ModelPart | ReplyEnd)[] = [];
      const choice = readObjectField(readListField(chunk, "choices"), 0) ?? {};
      const delta = readObjectField(choice, "delta") ?? {};
      // OpenAI's format has no field for reasoning. vLLM and LM Studio send `reasoning_content`, and Ollama
      // sends `reasoning`.
      const reasoning =
        readTextField(delta, "reasoning_content") || readTextField(delta, "reasoning");
      parts.push(...thoughts.add(reasoning));
      for (const text of [readTextField(delta, "content"), readTextField(delta, "refusal")]) {
        if (text !== "") parts.push(...thoughts.end(), { type: "text", text });
      }
      const pieces = readListField(delta, "tool_calls");
      for (const index of pieces.keys()) calls.add(readPiece(readObjectField(pieces, index) ?? {}));
      const usage = readObjectField(chunk, "usage");
      if (usage !== undefined) parts.push(fromUsage(usage));
      const finishReason = readTextField(choice, "finish_reason");
      if (finishReason !== "") parts.push(...thoughts.end(), fromFinishReason(finishReason));
      return parts;
    },
    end: () => [...thoughts.end(), ...calls.requests()],
  };
}

function readPiece(piece: object): ToolCallPiece {
  const called = readObjectField(piece, "function") ?? {};
  return {
    index: readNumberField(piece, "index"),
    id: readTextField(piece, "id"),
    toolName: readTextField(called, "name"),
    text: readTextField(called, "arguments"),
  };
}

// Converts the token counts of a reply. OpenAI counts thoughts as output tokens, and we count them
// separately.
function fromUsage(counted: object): ModelPart {
  const ofOutput = readObjectField(counted, "completion_tokens_details") ?? {};
  const ofInput = readObjectField(counted, "prompt_tokens_details") ?? {};
  const thoughtTokens = readTokensField(ofOutput, "reasoning_tokens");
  return {
    type: "usage",
    usage: {
      inputTokens: readTokensField(counted, "prompt_tokens"),
      outputTokens: Math.max(0, readTokensField(counted, "completion_tokens") - thoughtTokens),
      thoughtTokens,
      cachedTokens: readTokensField(ofInput, "cached_tokens"),
    },
  };
}

function fromFinishReason(reason: string): ReplyEnd {
  switch (reason) {
    case "stop":
    case "tool_calls":
    case "function_call":
      return { type: "end", how: "whole" };
    case "length":
      return { type: "end", how: "cut-off" };
    case "content_filter":
      return { type: "end", how: "refused", reason: `a filter stopped it (${reason})` };
    default:
      return { type: "end", how: "unknown", reason };
  }
}
