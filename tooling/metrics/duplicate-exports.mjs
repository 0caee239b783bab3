import { SyntaxKind } from "typescript/unstable/ast";

const DECLARATIONS = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.EnumDeclaration,
]);

/**
 * Finds exported names that are declared in more than one file. Re-exports are ignored.
 *
 * @param {readonly import("./parse-files.mjs").ParsedFile[]} sources
 * @returns {{ name: string, files: string[] }[]}
 */
export function findDuplicateExports(sources) {
  const files = new Map();
  for (const source of sources) {
    for (const name of new Set(exportedNames(source))) {
      files.set(name, [...(files.get(name) ?? []), source.file]);
    }
  }
  return [...files]
    .filter(([, declaredIn]) => declaredIn.length > 1)
    .map(([name, declaredIn]) => ({ name, files: declaredIn }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function exportedNames({ tree }) {
  const declared = new Set(tree.statements.flatMap(declaredNames));
  return tree.statements.flatMap((statement) => {
    if (isExported(statement)) return declaredNames(statement);
    if (statement.kind !== SyntaxKind.ExportDeclaration || statement.moduleSpecifier) return [];
    return [...(statement.exportClause?.elements ?? [])]
      .filter(({ name, propertyName }) => declared.has((propertyName ?? name).text))
      .map(({ name }) => name.text);
  });
}

function declaredNames(statement) {
  if (DECLARATIONS.has(statement.kind)) return statement.name ? [statement.name.text] : [];
  if (statement.kind !== SyntaxKind.VariableStatement) return [];
  return [...statement.declarationList.declarations].flatMap(({ name }) =>
    name.kind === SyntaxKind.Identifier ? [name.text] : [],
  );
}

function isExported(statement) {
  return (statement.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ExportKeyword);
}
