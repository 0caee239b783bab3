import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { ModelPart } from "../model-part.js";
import { parseToolInput } from "../parse-tool-input.js";

/** A piece of a tool call, as it streams. */
export type ToolCallPiece = ChatCompletionChunk.Choice.Delta.ToolCall;

/** Puts tool calls together, which come in pieces and interleaved. */
export interface ToolCallAssembler {
  add(piece: ToolCallPiece): void;
  /** The calls, in the order in which they began. */
  requests(): readonly ModelPart[];
}

interface Assembly {
  readonly index: number;
  readonly id: string | undefined;
  toolName: string;
  text: string;
}

/** Makes an assembler for one answer. */
export function createToolCallAssembler(): ToolCallAssembler {
  const calls: Assembly[] = [];

  // Some servers number every call 0: another id at the same place is another call.
  const findCall = ({ index = 0, id }: ToolCallPiece) => {
    const call = calls.findLast((candidate) => candidate.index === index);
    return id && call?.id !== undefined && call.id !== id ? undefined : call;
  };

  return {
    add(piece) {
      let call = findCall(piece);
      if (call === undefined) {
        call = { index: piece.index ?? 0, id: piece.id || undefined, toolName: "", text: "" };
        calls.push(call);
      }
      call.toolName ||= piece.function?.name ?? "";
      call.text += piece.function?.arguments ?? "";
    },
    requests: () =>
      calls.map(({ toolName, text }) => ({
        type: "tool-request",
        toolName,
        ...parseToolInput(text),
      })),
  };
}
