import type { ModelPart } from "../model-part.js";
import { parseToolInput } from "../parse-tool-input.js";

/** One streamed piece of a tool call. A field that the server left out is empty or 0. */
export interface ToolCallPiece {
  readonly index: number;
  readonly id: string;
  readonly toolName: string;
  /** A piece of the JSON text of the arguments. */
  readonly text: string;
}

/** Assembles tool calls, whose pieces may be interleaved. */
export interface ToolCallAssembler {
  add(piece: ToolCallPiece): void;
  /** Returns the calls in the order of their first pieces. */
  requests(): readonly ModelPart[];
}

interface Assembly {
  readonly id: string;
  toolName: string;
  text: string;
}

/** Creates an assembler for one reply. */
export function createToolCallAssembler(): ToolCallAssembler {
  const calls: Assembly[] = [];
  const newest = new Map<number, Assembly>();

  // Some servers give every call the index 0, so a piece with a different id starts a new call.
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
