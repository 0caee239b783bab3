import type { Document, LineCounter } from "yaml";
import { SettingsError } from "../settings-error.js";
import { isYamlNestedDeep } from "./yaml-depth.js";

/** Maximum number of characters of a settings file. Parsing takes about a second per megabyte. */
const MAX_LENGTH = 256 * 1024;

/** A parsed YAML text with the positions of its keys. */
export interface YamlSource {
  readonly value: unknown;
  /**
   * Returns the position of the key at a path. If the key does not exist, returns the position of the nearest
   * enclosing key.
   */
  positionOf(path: readonly string[]): { readonly line: number; readonly column: number };
}

/** Parses YAML; throws one {@link SettingsError} that lists all syntax errors. */
export async function parseYaml(file: string, text: string): Promise<YamlSource> {
  checkSize(file, text);
  const yaml = await import("./yaml-library.js");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const faults = document.errors.map(({ message, pos }) => ({
    file,
    ...positionAt(pos[0], lines),
    key: "",
    problem: firstLine(message),
  }));
  if (faults.length > 0) throw new SettingsError(faults);
  return {
    value: toPlain(document, file),
    positionOf: (path) => positionAt(offsetOf(path), lines),
  };

  function offsetOf(path: readonly string[]): number {
    let node: unknown = document.contents;
    let offset = yaml.isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (const segment of path) {
      const step = stepInto(node, segment);
      offset = yaml.isNode(step.anchor) ? (step.anchor.range?.[0] ?? offset) : offset;
      node = step.node;
    }
    return offset;
  }

  function stepInto(node: unknown, segment: string): { anchor: unknown; node: unknown } {
    if (yaml.isSeq(node)) {
      const item = node.items[Number(segment)];
      return { anchor: item, node: item };
    }
    if (!yaml.isMap(node)) return { anchor: undefined, node: undefined };
    const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === segment);
    return { anchor: pair?.key, node: pair?.value };
  }
}

function checkSize(file: string, text: string): void {
  const refuse = (problem: string) => {
    throw new SettingsError([{ file, line: 1, column: 1, key: "", problem }]);
  };
  if (text.length > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} characters`);
  if (isYamlNestedDeep(text)) refuse("is nested too deep");
}

function positionAt(offset: number, lines: LineCounter): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

// Converts a document to plain values. Throws for an alias bomb, which the library detects only in toJS().
function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (reason) {
    const problem = firstLine(reason instanceof Error ? reason.message : String(reason));
    throw new SettingsError([{ file, line: 1, column: 1, key: "", problem }], { cause: reason });
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
