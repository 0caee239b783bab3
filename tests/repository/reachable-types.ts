import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./repository.js";

/** A type in a public signature, with the file that declares it and the declaration that uses it. */
export interface ReachableType {
  readonly name: string;
  readonly file: string;
  readonly by: string;
  /** The declaration itself, without comments. */
  readonly text: string;
}

/**
 * Finds all our types that the declarations of an entry use, directly or indirectly. They are read from the
 * built declarations, which contain signatures and no bodies.
 */
export function reachableTypes(entry: string): readonly ReachableType[] {
  const found = new Map<string, ReachableType>();
  const waiting = [...namesIn(entry)].map(([name, file]) => ({ name, file, by: entry }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, file } = next;
    const key = `${file}#${name}`;
    if (found.has(key)) continue;
    const declared = declarationOf(name, file);
    if (declared === undefined) {
      // This file only re-exports it.
      const from = namesIn(file).get(name);
      if (from !== undefined && from !== file) waiting.push({ ...next, file: from });
      continue;
    }
    found.set(key, { ...next, text: declared });
    const known = namesIn(file);
    for (const [word] of declared.matchAll(/\b[A-Z]\w+\b/g)) {
      const from = known.get(word);
      if (from !== undefined && word !== name) waiting.push({ name: word, file: from, by: name });
    }
  }
  return [...found.values()].map((type) => ({ ...type, file: path.relative(root, type.file) }));
}

/** The text of one declaration, without comments; undefined if the file does not declare it. */
function declarationOf(name: string, file: string): string | undefined {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const declarations = text.split(/^(?=(?:export |declare |interface |type |import ))/m);
  const pattern = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:function|const|class|enum|interface|type) ${name}\\b`,
  );
  const own = declarations.filter((declaration) => pattern.test(declaration));
  return own.length === 0 ? undefined : own.join("\n");
}

/** The names that a file imports, re-exports or declares, each with the file that it comes from. */
function namesIn(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(file, "utf8");
  const names = new Map<string, string>();
  for (const [, list = "", from = ""] of text.matchAll(
    /^(?:import|export) (?:type )?\{([^}]*)\} from "([^"]+)";/gm,
  )) {
    const target = resolve(file, from);
    if (target === undefined) continue;
    for (const item of list.split(",")) {
      const name = item.trim().replace(/^type /, "");
      if (name !== "") names.set(name, target);
    }
  }
  for (const [, name = ""] of text.matchAll(
    /^export (?:declare )?(?:function|const|class|enum|interface|type) (\w+)/gm,
  )) {
    names.set(name, file);
  }
  return names;
}

function resolve(file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    return path.join(path.dirname(file), specifier.replace(/\.js$/, ".d.ts"));
  }
  const [, library, entry = ""] = /^@dt\/([\w-]+)(?:\/(\w+))?$/.exec(specifier) ?? [];
  if (library === undefined) return undefined;
  return path.join(root, "packages", library, "dist/esm", entry, "index.d.ts");
}
