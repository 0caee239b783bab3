import { NodeFlags, SyntaxKind } from "typescript/unstable/ast";

const CHAIN_LINKS = new Set([
  SyntaxKind.PropertyAccessExpression,
  SyntaxKind.ElementAccessExpression,
  SyntaxKind.CallExpression,
  SyntaxKind.NonNullExpression,
]);

/**
 * Finds the outermost expression of a chain. Replacing only `a?.b` in `a?.b.c` would lose the short circuit, and
 * replacing only `a.b` in `a.b()` would lose `this`. If something is assigned to the chain, the result is the whole
 * assignment, because nothing can be assigned to a condition.
 */
export function chainTop(node) {
  let top = node;
  while (CHAIN_LINKS.has(top.parent.kind) && top.parent.expression === top) top = top.parent;
  return isAssigned(top) ? top.parent : top;
}

/** Returns true for `a` in `a = b`, `a += b` and similar assignments. */
function isAssigned(node) {
  const { parent } = node;
  if (parent.kind !== SyntaxKind.BinaryExpression || parent.left !== node) return false;
  const { kind } = parent.operatorToken;
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

export function isTypeOnly(node) {
  return (
    (node.kind >= SyntaxKind.FirstTypeNode && node.kind <= SyntaxKind.LastTypeNode) ||
    node.kind === SyntaxKind.InterfaceDeclaration ||
    node.kind === SyntaxKind.TypeAliasDeclaration ||
    node.kind === SyntaxKind.ImportDeclaration ||
    node.kind === SyntaxKind.ExportDeclaration
  );
}

/** Returns true if a literal is a value, and false for the name of a property, a member or a module. */
export function isValue(node) {
  const parent = node.parent;
  const isName = parent.name === node || parent.propertyName === node;
  return !isName && !isImport(parent);
}

/** Returns true for `import("./file.js")`. Its argument gets no fault, because bundlers read the argument. */
export function isImport(node) {
  return node.expression?.kind === SyntaxKind.ImportKeyword;
}

/**
 * Returns true for a value named `…Ms` or `…_MS`. Such a value gets no fault, because no test may depend on
 * time.
 */
export function isDuration(node) {
  let at = node.parent;
  while (at.kind === SyntaxKind.BinaryExpression) at = at.parent;
  return at.name?.kind === SyntaxKind.Identifier && /(_MS|Ms)$/.test(at.name.text);
}

/**
 * Returns true for an addition of strings. Such an addition gets no fault, because strings cannot be
 * subtracted.
 */
export function isText(node) {
  return [node.left, node.right].some(
    (side) =>
      side.kind === SyntaxKind.StringLiteral ||
      side.kind === SyntaxKind.TemplateExpression ||
      side.kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
      (side.kind === SyntaxKind.BinaryExpression && isText(side)),
  );
}

export function isSuperCall(node) {
  return (
    node.kind === SyntaxKind.CallExpression && node.expression.kind === SyntaxKind.SuperKeyword
  );
}

/** Returns true for the creation of an error. It gets no fault, because tests need not check error messages. */
export function isError(node, text) {
  return (
    node.kind === SyntaxKind.NewExpression &&
    /Error$|Failure$|Fault$/.test(text.slice(node.expression.getStart(), node.expression.end))
  );
}

export function isInError(node, text) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (isError(at, text) || at.kind === SyntaxKind.ThrowStatement) return true;
    if (at.kind === SyntaxKind.Block) return false;
  }
  return false;
}

/** Returns true for a destructuring pattern such as `({ a } = b)`. */
export function isPattern(node) {
  let at = node;
  while (at.parent.kind === SyntaxKind.ParenthesizedExpression) at = at.parent;
  return at.parent.kind === SyntaxKind.BinaryExpression && at.parent.left === at;
}

export function isFunctionBody(node) {
  const kind = node.parent.kind;
  return (
    kind === SyntaxKind.FunctionDeclaration ||
    kind === SyntaxKind.FunctionExpression ||
    kind === SyntaxKind.ArrowFunction ||
    kind === SyntaxKind.MethodDeclaration
  );
}

/**
 * Returns true for `return await work()` outside of `try` and `using`. Removing that await changes nothing,
 * because an async function resolves as the returned promise does. Inside a `try` it would matter, because
 * the `catch` would miss the error. After a `using` it would matter too, because the resource would be
 * disposed early.
 */
export function isReturnedAtOnce(node) {
  let at = node;
  while (at.parent.kind === SyntaxKind.ParenthesizedExpression) at = at.parent;
  if (at.parent.kind === SyntaxKind.ArrowFunction) return at.parent.body === at;
  if (at.parent.kind !== SyntaxKind.ReturnStatement) return false;
  for (let inner = at.parent, outer = inner.parent; outer !== undefined; ) {
    if (hasHandler(outer, inner) || outer.statements?.some(isUsing)) return false;
    if (outer.kind === SyntaxKind.Block && isFunctionBody(outer)) return true;
    inner = outer;
    outer = outer.parent;
  }
  return false;
}

/** Returns true if a `catch` or `finally` of a `try` statement runs after this part of it. */
function hasHandler(node, part) {
  if (node.kind !== SyntaxKind.TryStatement) return false;
  return part === node.tryBlock || node.finallyBlock !== undefined;
}

function isUsing(node) {
  return (
    node.kind === SyntaxKind.VariableStatement &&
    (node.declarationList.flags & NodeFlags.Using) === NodeFlags.Using
  );
}
