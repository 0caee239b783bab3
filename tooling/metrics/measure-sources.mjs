import path from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";

const FUNCTIONS = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);

const VERSION_BRANCH =
  /\bversion\s*[!=]==\s*"(?:0\.3|1\.0)"|"(?:0\.3|1\.0)"\s*[!=]==\s*\S*version\b/g;

/** Measures files, lines, functions and folders of the shipped sources. */
export function measureSources(sources) {
  const fileLines = sources.map(({ text }) => countLines(text));
  const functions = sources.flatMap(listFunctions);
  const lengths = functions.map(({ lines }) => lines);
  const folders = countFolders(sources);
  return {
    files: sources.length,
    lines: fileLines.reduce((sum, lines) => sum + lines, 0),
    fileLines: spread(fileLines),
    functionLines: spread(lengths),
    longestFunctions: functions.toSorted((a, b) => b.lines - a.lines).slice(0, 12),
    folderFiles: spread([...folders.values()]),
    fullestFolders: [...folders]
      .map(([folder, files]) => ({ folder, files }))
      .toSorted((a, b) => b.files - a.files)
      .slice(0, 6),
    versionBranches: sources
      .filter(({ file }) => !file.includes("/wire/"))
      .flatMap(({ file, text }) => [...text.matchAll(VERSION_BRANCH)].map(() => file)),
  };
}

/** Returns the median, the 95th percentile and the largest of some numbers. */
export function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 };
}

function listFunctions({ file, text, tree }) {
  const found = [];
  const visit = (node, owner) => {
    const name = node.name?.text ?? owner;
    if (FUNCTIONS.has(node.kind)) {
      const lines = countLines(text.slice(node.getStart(), node.end));
      found.push({ name: name ?? "(anonymous)", file, lines });
    }
    // An anonymous function is listed under the name that it is assigned to.
    node.forEachChild((child) => visit(child, node.name?.text));
  };
  visit(tree, undefined);
  return found;
}

function countFolders(sources) {
  const folders = new Map();
  for (const { file } of sources) {
    const folder = path.dirname(file);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return folders;
}

function countLines(text) {
  return text.trimEnd().split("\n").length;
}
