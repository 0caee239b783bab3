import { SyntaxKind } from "typescript/unstable/ast";
import {
  chainTop,
  isDuration,
  isError,
  isFunctionBody,
  isImport,
  isInError,
  isPattern,
  isReturnedAtOnce,
  isSuperCall,
  isText,
  isTypeOnly,
  isValue,
} from "./syntax.mjs";

/**
 * A small fault: one part of the source is replaced by another text. The host is the expression, statement,
 * property or function body ("entry") around that part. The code that weave.mjs writes around a host
 * chooses at run time between the host and its mutants.
 *
 * @typedef {object} Mutant
 * @property {string} operator
 * @property {number} start
 * @property {number} end
 * @property {string} replacement
 * @property {"expression" | "statement" | "property" | "entry"} host
 * @property {number} hostStart
 * @property {number} hostEnd
 * @property {number} line
 * @property {string} code the source line on which the fault begins, without its indentation
 * @property {string} change
 */

const SWAPPED = new Map([
  ["&&", ["||"]],
  ["||", ["&&"]],
  ["===", ["!=="]],
  ["!==", ["==="]],
  ["<", ["<="]],
  ["<=", ["<"]],
  [">", [">="]],
  [">=", [">"]],
  ["+", ["-"]],
  ["-", ["+"]],
  ["*", ["/"]],
  ["/", ["*"]],
]);

/**
 * Finds every fault that can be put into a file.
 *
 * @param {import("typescript/unstable/ast").SourceFile} source
 * @returns {Mutant[]}
 */
export function findMutants(source) {
  const text = source.text;
  /** @type {Mutant[]} */
  const found = [];
  const lines = text.split("\n");
  const lineOf = createLineFinder(text);

  /** @type {(operator: string, node: any, replacement: string, host: Mutant["host"], holder: any) => void} */
  const add = (operator, node, replacement, host, holder) => {
    const start = node.getStart();
    const before = text.slice(start, node.end);
    const line = lineOf(start);
    found.push({
      operator,
      start,
      end: node.end,
      replacement,
      host,
      hostStart: holder.getStart(),
      hostEnd: holder.end,
      line,
      code: lines[line - 1].trim(),
      change: `${shorten(before)} → ${describe(replacement, host)}`,
    });
  };
  const swap = (operator, node, replacement) =>
    add(operator, node, replacement, "expression", chainTop(node));

  const visit = (node) => {
    if (isTypeOnly(node)) return;
    for (const [operator, replaced, replacement, host] of faultsOf(node, text)) {
      if (host === "expression") swap(operator, replaced, replacement);
      else add(operator, replaced, replacement, host, replaced);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Yields the faults of one node: operator, replaced node, new text, kind of host. */
function* faultsOf(node, text) {
  const textOf = (part) => text.slice(part.getStart(), part.end);
  switch (node.kind) {
    case SyntaxKind.ExpressionStatement:
      if (node.expression.kind !== SyntaxKind.StringLiteral && !isSuperCall(node.expression))
        yield ["remove-statement", node, ";", "statement"];
      return;
    case SyntaxKind.ThrowStatement:
      yield ["remove-statement", node, ";", "statement"];
      return;
    case SyntaxKind.IfStatement:
      yield ["condition", node.expression, "true", "expression"];
      yield ["condition", node.expression, "false", "expression"];
      return;
    case SyntaxKind.WhileStatement:
      yield ["condition", node.expression, "false", "expression"];
      return;
    case SyntaxKind.ConditionalExpression:
      yield ["condition", node.condition, "true", "expression"];
      yield ["condition", node.condition, "false", "expression"];
      return;
    case SyntaxKind.BinaryExpression: {
      const operator = textOf(node.operatorToken);
      if (operator === "??") {
        yield ["fallback", node, textOf(node.right), "expression"];
        yield ["fallback", node, textOf(node.left), "expression"];
      }
      if ((operator === "+" || operator === "-") && isText(node)) return;
      for (const other of SWAPPED.get(operator) ?? []) {
        const swapped = `${textOf(node.left)} ${other} ${textOf(node.right)}`;
        yield ["operator", node, swapped, "expression"];
      }
      if (operator === "&&" || operator === "||") {
        yield ["operand", node, textOf(node.left), "expression"];
        yield ["operand", node, textOf(node.right), "expression"];
      }
      return;
    }
    case SyntaxKind.PrefixUnaryExpression:
      if (node.operator === SyntaxKind.ExclamationToken)
        yield ["negation", node, textOf(node.operand), "expression"];
      return;
    case SyntaxKind.AwaitExpression:
      if (isReturnedAtOnce(node)) return;
      yield ["remove-await", node, textOf(node.expression), "expression"];
      return;
    case SyntaxKind.CallExpression:
    case SyntaxKind.NewExpression: {
      const last = node.arguments?.at(-1);
      if (last === undefined || isError(node, text) || isImport(node)) return;
      const kept = node.arguments.at(-2);
      const from = kept === undefined ? last.getStart() : kept.end;
      const shortened = text.slice(node.getStart(), from) + text.slice(last.end, node.end);
      yield ["argument", node, shortened.replace(/,\s*\)$/, ")"), "expression"];
      return;
    }
    case SyntaxKind.ReturnStatement:
      if (node.expression !== undefined && textOf(node.expression) !== "undefined")
        yield ["return", node.expression, "undefined", "expression"];
      return;
    case SyntaxKind.TrueKeyword:
      yield ["literal", node, "false", "expression"];
      return;
    case SyntaxKind.FalseKeyword:
      yield ["literal", node, "true", "expression"];
      return;
    case SyntaxKind.NumericLiteral:
      if (isValue(node) && !isDuration(node))
        yield ["literal", node, `(${textOf(node)} + 1)`, "expression"];
      return;
    case SyntaxKind.StringLiteral:
      if (isValue(node) && !isInError(node, text) && node.text !== "")
        yield ["literal", node, '""', "expression"];
      return;
    case SyntaxKind.PropertyAssignment:
    case SyntaxKind.ShorthandPropertyAssignment:
    case SyntaxKind.SpreadAssignment:
      if (node.parent.kind === SyntaxKind.ObjectLiteralExpression && !isPattern(node.parent))
        yield ["property", node, "...{}", "property"];
      return;
    case SyntaxKind.Block:
      if (isFunctionBody(node) && node.statements.length > 0)
        yield ["return-early", node, "{ return; }", "entry"];
      return;
  }
}

function describe(replacement, host) {
  if (host === "statement" || host === "property") return "(removed)";
  return host === "entry" ? "(returns at once)" : shorten(replacement);
}

function shorten(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 110 ? `${line.slice(0, 100)} … ${line.slice(-8)}` : line;
}

function createLineFinder(text) {
  const ends = [...text.matchAll(/\n/g)].map((match) => match.index);
  return (position) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
