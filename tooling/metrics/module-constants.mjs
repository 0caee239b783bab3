import { NodeFlags, SyntaxKind } from "typescript/unstable/ast";

const LITERALS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
]);

const WRAPPERS = new Set([
  SyntaxKind.AsExpression,
  SyntaxKind.SatisfiesExpression,
  SyntaxKind.ParenthesizedExpression,
  SyntaxKind.PrefixUnaryExpression,
]);

/** Classes whose instances are data if the arguments of the constructor are data. */
const DATA_CLASSES = new Set(["Set", "Map", "RegExp", "Date"]);

const SCREAMING_CASE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/**
 * Finds module-level constants that are not written in SCREAMING_CASE. A constant is a `const` whose value is
 * data: a literal, a collection of literals, or a calculation with literals. Functions and other objects are
 * ignored. Empty collections are ignored too, because they are filled later.
 *
 * @param {import("./parse-files.mjs").ParsedFile} source
 * @returns {{ file: string, name: string }[]}
 */
export function findMisnamedConstants({ file, tree }) {
  const known = new Set();
  return [...tree.statements].flatMap((statement) => {
    if (statement.kind !== SyntaxKind.VariableStatement) return [];
    const { flags, declarations } = statement.declarationList;
    if ((flags & NodeFlags.Const) === 0) return [];
    return [...declarations].flatMap(({ name, initializer }) => {
      if (name.kind !== SyntaxKind.Identifier || initializer === undefined) return [];
      if (!isData(initializer, known)) return [];
      known.add(name.text);
      return SCREAMING_CASE.test(name.text) ? [] : [{ file, name: name.text }];
    });
  });
}

function isData(node, known) {
  const every = (nodes) => nodes.length > 0 && [...nodes].every((one) => isData(one, known));
  if (LITERALS.has(node.kind)) return true;
  if (WRAPPERS.has(node.kind)) return isData(node.expression ?? node.operand, known);
  switch (node.kind) {
    case SyntaxKind.Identifier:
      return known.has(node.text);
    case SyntaxKind.TemplateExpression:
      return every([...node.templateSpans].map(({ expression }) => expression));
    case SyntaxKind.BinaryExpression:
      return isData(node.left, known) && isData(node.right, known);
    case SyntaxKind.ArrayLiteralExpression:
      return every(node.elements);
    case SyntaxKind.SpreadElement:
    case SyntaxKind.SpreadAssignment:
      return isData(node.expression, known);
    case SyntaxKind.ObjectLiteralExpression:
      return every(node.properties);
    case SyntaxKind.PropertyAssignment:
      return isData(node.initializer, known);
    case SyntaxKind.ShorthandPropertyAssignment:
      return known.has(node.name.text);
    case SyntaxKind.NewExpression:
      return DATA_CLASSES.has(node.expression.text) && every(node.arguments ?? []);
    default:
      return false;
  }
}
