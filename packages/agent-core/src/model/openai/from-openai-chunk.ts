import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import type { AnswerEnd } from "../judge-answer.js";
import type { ModelPart } from "../model-part.js";
import { createThoughtParagraphs } from "./thought-paragraphs.js";
import { createToolCallAssembler } from "./tool-call-assembler.js";

/** Reads one answer, chunk by chunk. */
export interface OpenaiReader {
  read(chunk: ChatCompletionChunk): readonly (ModelPart | AnswerEnd)[];
  /** The stream has ended: the tools that were asked for, which are whole only now. */
  end(): readonly ModelPart[];
}

/** Reasoning is no part of OpenAI's own format; vLLM and LM Studio, or Ollama, call it so. */
interface ReasoningDelta {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
}

/** A reader of chat completion chunks. */
export function createOpenaiReader(): OpenaiReader {
  const calls = createToolCallAssembler();
  const thoughts = createThoughtParagraphs();
  return {
    read({ choices, usage }) {
      const parts: (ModelPart | AnswerEnd)[] = [];
      const choice = choices?.[0];
      const delta: (ChatCompletionChunk.Choice.Delta & ReasoningDelta) | undefined = choice?.delta;
      parts.push(...thoughts.add(delta?.reasoning_content || delta?.reasoning || ""));
      for (const text of [delta?.content, delta?.refusal]) {
        if (text) parts.push(...thoughts.end(), { type: "text", text });
      }
      for (const piece of delta?.tool_calls ?? []) calls.add(piece);
      if (usage) parts.push(fromUsage(usage));
      if (choice?.finish_reason)
        parts.push(...thoughts.end(), fromFinishReason(choice.finish_reason));
      return parts;
    },
    end: () => [...thoughts.end(), ...calls.requests()],
  };
}

// OpenAI counts thoughts as output and the cached as input; ours are told apart from the former.
function fromUsage(counted: CompletionUsage): ModelPart {
  const thoughtTokens = counted.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    type: "usage",
    usage: {
      inputTokens: counted.prompt_tokens ?? 0,
      outputTokens: Math.max(0, (counted.completion_tokens ?? 0) - thoughtTokens),
      thoughtTokens,
      cachedTokens: counted.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
}

function fromFinishReason(reason: string): AnswerEnd {
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
