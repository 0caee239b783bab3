import fs from "node:fs";
import path from "node:path";
import { API } from "typescript/unstable/sync";
import { findMutants } from "./operators.mjs";
import { TARGETS } from "./targets.mjs";
import { applyMutant } from "./weave.mjs";

/** Codes of diagnostics about unused names and unreachable code. They do not make a mutant invalid. */
const HARMLESS_CODES = new Set([6133, 6138, 6192, 6196, 6198, 6199, 7027]);

/**
 * Opens the target files and finds their mutants. In the result, `compiles` asks the compiler whether a
 * mutant compiles.
 *
 * @param {string} root
 */
export function openSources(root) {
  /** Maps the path of a file to the text that the compiler reads instead. */
  const overlay = new Map();
  const api = new API({ cwd: root, fs: { readFile: (file) => overlay.get(file) } });
  const projects = Object.keys(TARGETS).map((name) => configOf(root, name));
  let snapshot = api.updateSnapshot({ openProjects: projects });
  const programOf = (name) => snapshot.getProject(configOf(root, name)).program;

  let id = 0;
  const mutants = Object.keys(TARGETS).flatMap((name) =>
    listTargets(root, name).flatMap((file) =>
      findMutants(programOf(name).getSourceFile(file)).map((mutant) => {
        id += 1;
        return { ...mutant, id, package: name, file: path.relative(root, file) };
      }),
    ),
  );

  /**
   * Returns true if a mutant compiles. A mutant that does not compile needs no test, because the compiler
   * notices it.
   */
  function compiles(mutant) {
    const file = path.join(root, mutant.file);
    const setOverlay = (text) => {
      if (text === undefined) overlay.delete(file);
      else overlay.set(file, text);
      snapshot = api.updateSnapshot({ fileChanges: { changed: [file] } });
    };
    setOverlay(applyMutant(fs.readFileSync(file, "utf8"), mutant));
    const program = programOf(mutant.package);
    const diagnostics = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ].filter((diagnostic) => !HARMLESS_CODES.has(diagnostic.code) && diagnostic.category === 1);
    setOverlay(undefined);
    return diagnostics.length === 0;
  }

  return { mutants, compiles, close: () => api.close() };
}

function configOf(root, name) {
  return path.join(root, "packages", name, "tsconfig.json");
}

/** Lists the target source files of a package, without tests and test support. */
export function listTargets(root, name) {
  const source = path.join(root, "packages", name, "src");
  return TARGETS[name]
    .flatMap((target) => {
      const full = path.join(source, target);
      if (full.endsWith(".ts")) return [full];
      return fs
        .readdirSync(full, { recursive: true })
        .filter(
          (file) => file.endsWith(".ts") && !/\.(test|test-support|test-d|prove)\.ts$/.test(file),
        )
        .map((file) => path.join(full, file));
    })
    .sort();
}
