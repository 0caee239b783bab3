import { builtinModules } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { readText, root } from "./repository.js";

/** An import statement: the file and the module specifier. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
}

/** The run-time imports among a package's own files, from file to imported files. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Lists all imports of some files. */
export function importsOf(files: readonly string[]): Import[] {
  return files.flatMap((file) =>
    specifiersIn(readText(file)).map((specifier) => ({ file, specifier })),
  );
}

/**
 * Finds the module specifiers of static, dynamic, re-exported and type-only imports. They are read from the
 * text, because a bundler would drop the type-only imports.
 */
export function specifiersIn(source: string): string[] {
  const statement =
    /(?:^|[;}\n])\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']|(?:^|[;}\n])\s*import\s*["']([^"']+)["']|\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g;
  return [...withoutComments(source).matchAll(statement)].flatMap((match) =>
    match.slice(1).filter((group) => group !== undefined),
  );
}

/** Builds the run-time import graph from esbuild's metadata, without type-only imports. */
export async function importGraphOf(files: readonly string[]): Promise<ImportGraph> {
  if (files.length === 0) return new Map();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...files],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outdir: "unwritten",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return new Map(
    Object.entries(metafile.inputs).map(([file, input]) => [
      file,
      input.imports.filter(({ external }) => external !== true).map(({ path }) => path),
    ]),
  );
}

/** Finds cycles of a graph, each as a list of its files that begins and ends with the same file. */
export function findCycles(graph: ImportGraph): string[][] {
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file]);
    if (start >= 0 || finished.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** Resolves a relative import to a path from the root. Returns undefined for an import of a package. */
export function findTarget({ file, specifier }: Import): string | undefined {
  return specifier.startsWith(".") ? path.posix.join(path.dirname(file), specifier) : undefined;
}

/** Returns the package that a specifier belongs to: `@dt/schema` for `@dt/schema/wire`. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Returns true if a specifier is a built-in module of Node. */
export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** Replaces comments by spaces and keeps line breaks and strings. */
export function withoutComments(source: string): string {
  const tokens =
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return source.replace(tokens, (token) =>
    token.startsWith("//") || token.startsWith("/*") ? token.replace(/[^\n]/g, " ") : token,
  );
}
