// Finds the types that public signatures mention. It reads the built declarations, because they contain
// signatures without bodies.
import { readFileSync } from "node:fs";
import path from "node:path";

/** Returns the declaration file of an entry such as "@dt/client/testing"; undefined for foreign packages. */
export function declarationsOf(root, specifier) {
  const [, library] = /^@dt\/([\w-]+)/.exec(specifier) ?? [];
  if (library === undefined) return undefined;
  const folder = path.join(root, "packages", library);
  const { name, exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const entry = exports[`.${specifier.slice(name.length)}`];
  // In a package with only ES modules, `types` stands outside of `import`.
  const types = entry?.import?.types ?? entry?.types;
  return types === undefined ? undefined : path.join(folder, types);
}

/** Lists every name that an entry exports. {@link findReachable} starts with these names. */
export function exportedFrom(root, specifier) {
  const entry = declarationsOf(root, specifier);
  return [...namesIn(root, entry)].map(([name, file]) => ({ name, file, by: specifier }));
}

/**
 * Finds the declarations of some names, and every declaration in our packages that these declarations
 * mention, directly or indirectly.
 */
export function findReachable(root, start) {
  const found = new Map();
  const waiting = [...start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const declaration = findDeclaration(root, next);
    if (declaration === undefined || found.has(declaration.key)) continue;
    found.set(declaration.key, declaration);
    waiting.push(...mentionsIn(root, declaration));
  }
  return [...found.values()];
}

/** Finds the declaration of a name through the files that re-export it. */
export function findDeclaration(root, { name, file, by }) {
  const text = declarationText(name, file);
  if (text !== undefined) {
    const shown = path.relative(root, file).replaceAll(path.sep, "/");
    return { name, file: shown, by, text, key: `${shown}#${name}` };
  }
  const from = namesIn(root, file).get(name);
  if (from === undefined || from === file) return undefined;
  return findDeclaration(root, { name, file: from, by });
}

function mentionsIn(root, { name, file, text }) {
  const declaredIn = path.join(root, file);
  const known = namesIn(root, declaredIn);
  const words = [...text.matchAll(/\b[A-Z]\w+\b|(?<=typeof )\w+/g)]
    .map(([word]) => ({ name: word, file: known.get(word), by: name }))
    .filter((mention) => mention.file !== undefined && mention.name !== name);
  const inline = [...text.matchAll(/import\("([^"]+)"\)\.(\w+)/g)]
    .map(([, from, word]) => ({ name: word, file: resolve(root, declaredIn, from), by: name }))
    .filter((mention) => mention.file !== undefined);
  return [...words, ...inline];
}

/** Returns the text of a declaration without comments, or undefined if the file does not contain it. */
function declarationText(name, file) {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const declarations = text.split(/^(?=(?:export |declare |interface |type |import ))/m);
  const pattern = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:function|const|class|enum|interface|type) ${name}\\b`,
  );
  const own = declarations.filter((declaration) => pattern.test(declaration));
  return own.length === 0 ? undefined : own.join("\n");
}

/** Maps each name that a file imports, re-exports or declares to the file that it comes from. */
function namesIn(root, file) {
  const text = readFileSync(file, "utf8");
  const names = new Map();
  for (const [, list, from] of text.matchAll(
    /^(?:import|export) (?:type )?\{([^}]*)\} from "([^"]+)";/gm,
  )) {
    const target = resolve(root, file, from);
    if (target === undefined) continue;
    for (const item of list.split(",")) {
      const name = item.trim().replace(/^type /, "");
      if (name !== "") names.set(name, target);
    }
  }
  for (const [, name] of text.matchAll(
    /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|class|enum|interface|type) (\w+)/gm,
  )) {
    names.set(name, file);
  }
  return names;
}

function resolve(root, file, specifier) {
  if (!specifier.startsWith(".")) return declarationsOf(root, specifier);
  return path.join(path.dirname(file), specifier.replace(/\.js$/, ".d.ts"));
}
