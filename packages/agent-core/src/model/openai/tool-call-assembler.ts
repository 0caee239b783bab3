import type { ModelPart } from "../model-part.js";
import { parseToolInput } from "../parse-tool-input.js";

/** A piece of a tool call, as it streams. What is absent is empty. */
export interface ToolCallPiece {
  readonly index: number;
  readonly id: string;
  readonly toolName: string;
  /** A part of the arguments, which are JSON text. */
  readonly text: string;
}

/** Puts tool calls together, which come in pieces and interleaved. */
export interface ToolCallAssembler {
  add(piece: ToolCallPiece): void;
  /** The calls, in the order in which they began. */
  requests(): readonly ModelPart[];
}

interface Assembly {
  readonly id: string;
  toolName: string;
  text: string;
}

/** Makes an assembler for one answer. */
export function createToolCallAssembler(): ToolCallAssembler {
  const calls: Assembly[] = [];
  const newest = new Map<number, Assembly>();

  // Some servers number every call 0: another id at the same place is another call.
  const findCall = ({ index, id }: ToolCallPiece) => {
    const call = newest.get(index);
    return id !== "" && call !== undefined && call.id !== "" && call.id !== id ? undefined : call;
  };

  return {
    add(piece) {
      let call = findCall(piece);
      if (call === undefined) {
        call = { id: piece.id, toolName: "", text: "" };
        calls.push(call);
        newest.set(piece.index, call);
      }
      call.toolName ||= piece.toolName;
      call.text += piece.text;
    },
    requests: () =>
      calls.map(({ toolName, text }) => ({
        type: "tool-request",
        toolName,
        ...parseToolInput(text),
      })),
  };
}
