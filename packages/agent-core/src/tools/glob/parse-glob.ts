import { ToolError } from "../../errors/tool-error.js";

/** A part of a glob. */
export type GlobPart =
  /** One character that `fits` accepts. If `fits` accepts only one character, `literal` is set to it. */
  | {
      readonly type: "character";
      readonly fits: (code: number) => boolean;
      readonly literal?: string;
    }
  /** `*`: any number of characters except slashes. */
  | { readonly type: "name" }
  /** `**` at the end: any number of characters. */
  | { readonly type: "rest" }
  /** `**` with the slash after it: any number of directories. */
  | { readonly type: "directories" }
  /** `{a,b}`: one of the branches. */
  | { readonly type: "choice"; readonly branches: readonly (readonly GlobPart[])[] };

/** Longest glob, in characters. */
export const MAX_GLOB_LENGTH = 256;

const SLASH = "/".charCodeAt(0);

/** Parses a glob; throws `invalid_pattern` if it is too long or a bracket or brace is not closed. Pure. */
export function parseGlob(pattern: string): readonly GlobPart[] {
  if (pattern.length > MAX_GLOB_LENGTH) {
    throw invalid(`a glob may have at most ${MAX_GLOB_LENGTH} characters, not ${pattern.length}`);
  }
  const open: GlobPart[][][] = [];
  let branches: GlobPart[][] = [[]];
  const add = (part: GlobPart) => branches.at(-1)?.push(part);
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    let length = char.length;
    if (char === "{") {
      open.push(branches);
      branches = [[]];
    } else if (char === "," && open.length > 0) {
      branches.push([]);
    } else if (char === "}" && open.length > 0) {
      const choice: GlobPart = { type: "choice", branches };
      branches = open.pop() ?? [];
      add(choice);
    } else {
      const { part, end } = parsePart(pattern, at, char);
      add(part);
      length = end - at;
    }
    at += length;
  }
  if (open.length > 0) throw invalid(`a { has no } in ${pattern}; write \\{ for the character`);
  return branches[0] ?? [];
}

interface ParsedPart {
  readonly part: GlobPart;
  readonly end: number;
}

function parsePart(pattern: string, at: number, char: string): ParsedPart {
  switch (char) {
    case "*":
      return parseStars(pattern, at);
    case "?":
      return { part: { type: "character", fits: (code) => code !== SLASH }, end: at + 1 };
    case "[":
      return parseClass(pattern, at);
    case "\\": {
      const escaped = pattern.codePointAt(at + 1);
      if (escaped === undefined) return literal(char, at);
      return literal(String.fromCodePoint(escaped), at + 1);
    }
    default:
      return literal(char, at);
  }
}

function literal(char: string, at: number): ParsedPart {
  const wanted = char.codePointAt(0);
  return {
    part: { type: "character", fits: (code) => code === wanted, literal: char },
    end: at + char.length,
  };
}

/** Parses `*` and `**`. `**` matches directories only if it is a complete path segment. */
function parseStars(pattern: string, at: number): ParsedPart {
  let end = at;
  while (pattern[end] === "*") end += 1;
  const isSegment = end - at > 1 && ["", "/", "{", ","].includes(pattern[at - 1] ?? "");
  if (isSegment && pattern[end] === "/") return { part: { type: "directories" }, end: end + 1 };
  if (isSegment && ["", "}", ","].includes(pattern[end] ?? ""))
    return { part: { type: "rest" }, end };
  return { part: { type: "name" }, end };
}

/** Parses `[a-z]`, `[!a-z]` or `[^a-z]`. A `]` right after the opening bracket is an ordinary character. */
function parseClass(pattern: string, at: number): ParsedPart {
  const isNegated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
  const start = at + (isNegated ? 2 : 1);
  const end = pattern.indexOf("]", start + 1);
  if (end < 0) throw invalid(`a [ has no ] in ${pattern}; write \\[ for the character`);
  const members = [...pattern.slice(start, end)].map((char) => char.codePointAt(0) ?? 0);
  const ranges: (readonly [number, number])[] = [];
  for (let index = 0; index < members.length; index += 1) {
    const first = members[index] ?? 0;
    const last = members[index + 2];
    const isRange = members[index + 1] === "-".charCodeAt(0) && last !== undefined;
    ranges.push([first, isRange ? last : first]);
    if (isRange) index += 2;
  }
  const isMember = (code: number) => ranges.some(([from, to]) => code >= from && code <= to);
  const fits = (code: number) => code !== SLASH && isMember(code) !== isNegated;
  return { part: { type: "character", fits }, end: end + 1 };
}

function invalid(problem: string): ToolError {
  return new ToolError("invalid_pattern", problem);
}
