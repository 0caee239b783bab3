import fs from "node:fs";
import path from "node:path";
import { API } from "typescript/unstable/sync";
import { findMutants } from "./operators.mjs";
import { TARGETS } from "./targets.mjs";
import { applyMutant } from "./weave.mjs";

/** Complaints about names that a fault leaves unused: the linter's business, and no type error. */
const UNUSED = new Set([6133, 6138, 6192, 6196, 6198, 6199, 7027]);

/**
 * The files that faults are put into, their mutants, and the compiler that judges each.
 *
 * @param {string} root
 */
export function openSources(root) {
  /** Texts that stand in for files, as the compiler sees them. */
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

  /** True if the compiler accepts a mutant: a fault that nobody can commit needs no test. */
  function compiles(mutant) {
    const file = path.join(root, mutant.file);
    const show = (text) => {
      if (text === undefined) overlay.delete(file);
      else overlay.set(file, text);
      snapshot = api.updateSnapshot({ fileChanges: { changed: [file] } });
    };
    show(applyMutant(fs.readFileSync(file, "utf8"), mutant));
    const program = programOf(mutant.package);
    const complaints = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ].filter((complaint) => !UNUSED.has(complaint.code) && complaint.category === 1);
    show(undefined);
    return complaints.length === 0;
  }

  return { mutants, compiles, close: () => api.close() };
}

function configOf(root, name) {
  return path.join(root, "packages", name, "tsconfig.json");
}

/** Source files under the targets of a package, without tests and their support. */
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
