import { SyntaxKind } from "typescript/unstable/ast";

/** Tokens in which `//` and `/*` do not start a comment. */
const LITERALS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.JsxText,
]);

/** Matches instructions to a tool, such as `biome-ignore`. */
const DIRECTIVE = /^(?:biome-ignore|@ts-|region\b|endregion\b|!)/;

const RIDDLE = /^(?:What|Who|Whoever|Where|How|Told|Asked|Made|Of)\b/;

/**
 * The text of one comment, without slashes and asterisks. Consecutive `//` lines are one comment.
 *
 * @typedef {object} Comment
 * @property {string} file
 * @property {number} line
 * @property {string} text
 */

/**
 * Finds the comments of a parsed file, except instructions to a tool.
 *
 * @param {import("./parse-files.mjs").ParsedFile} source
 * @returns {Comment[]}
 */
export function commentsOf({ file, text, tree }) {
  const masked = maskLiterals(text, tree);
  const found = [];
  let previousEnd = -1;
  for (const { 0: raw, index } of masked.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g)) {
    const isLine = raw.startsWith("//");
    const words = isLine ? raw.slice(2).trim() : unwrap(raw);
    const isContinuation = isLine && /^\n[ \t]*$/.test(text.slice(previousEnd, index));
    previousEnd = isLine ? index + raw.length : -1;
    if (words === "" || DIRECTIVE.test(words)) {
      previousEnd = -1;
      continue;
    }
    const last = found.at(-1);
    if (isContinuation && last !== undefined) last.text += ` ${words}`;
    else found.push({ file, line: lineOf(text, index), text: words });
  }
  return found;
}

/**
 * Returns true if a comment begins with a question word such as "What", or with a participle such as "Told"
 * instead of a subject.
 */
export function isRiddle({ text }) {
  return RIDDLE.test(text);
}

function maskLiterals(text, tree) {
  let masked = "";
  let position = 0;
  const visit = (node) => {
    if (LITERALS.has(node.kind)) {
      const start = node.getStart();
      masked += text.slice(position, start) + text.slice(start, node.end).replace(/[^\n]/g, " ");
      position = node.end;
      return;
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return masked + text.slice(position);
}

/** Returns the text of a block comment without its asterisks. */
function unwrap(raw) {
  return raw
    .slice(2, -2)
    .split("\n")
    .map((line) => line.replace(/^\s*\*?\s?/, "").trim())
    .join(" ")
    .trim();
}

function lineOf(text, index) {
  return text.slice(0, index).split("\n").length;
}
