import { SyntaxKind } from "typescript/unstable/ast";

/** Maximum number of characters of a test name, without its requirement ids. */
export const MAX_TEST_NAME = 100;

/**
 * Finds the names of the tests in a file, without the requirement ids at their end.
 *
 * @param {import("./parse-files.mjs").ParsedFile} source
 * @returns {{ file: string, name: string }[]}
 */
export function testNamesOf({ file, text, tree }) {
  const found = [];
  const visit = (node) => {
    if (node.kind === SyntaxKind.CallExpression && isTestCall(node.expression)) {
      const [first] = node.arguments;
      if (first !== undefined && isText(first)) {
        const raw = text.slice(first.getStart() + 1, first.end - 1);
        found.push({ file, name: withoutIds(raw) });
      }
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return found;
}

/** Removes requirement ids such as ` [LOG-02, SEC-09]` and shortens expressions of templates. */
function withoutIds(name) {
  return name
    .replace(/\$\{[^}]*\}/g, "…")
    .replace(/(?:\s*\[[A-Z]{3,4}-\d{2}(?:, ?[A-Z]{3,4}-\d{2})*\])+$/, "");
}

/** Returns true for `test`, `it`, `test.concurrent`, `test.each(rows)` and `test.for(rows)`. */
function isTestCall(callee) {
  if (callee.kind === SyntaxKind.Identifier) return callee.text === "test" || callee.text === "it";
  if (callee.kind === SyntaxKind.PropertyAccessExpression) {
    return !/^(?:each|for|extend)$/.test(callee.name.text) && isTestCall(callee.expression);
  }
  if (callee.kind !== SyntaxKind.CallExpression) return false;
  const { expression } = callee;
  if (expression.kind !== SyntaxKind.PropertyAccessExpression) return false;
  return /^(?:each|for)$/.test(expression.name.text) && isTestCall(expression.expression);
}

function isText({ kind }) {
  return (
    kind === SyntaxKind.StringLiteral ||
    kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
    kind === SyntaxKind.TemplateExpression
  );
}
