import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";
import { findMutants } from "./operators.mjs";

export { findStale, readEquivalents } from "./equivalents.mjs";
export { countByPackage, formatTable, isShareReached } from "./report.mjs";
export { takeSample } from "./sample.mjs";
export { applyMutant, weave } from "./weave.mjs";

/** Finds the mutants of a source text and numbers them from 1. */
export function findMutantsIn(text) {
  const files = { "/text/tsconfig.json": '{"files":["text.ts"]}', "/text/text.ts": text };
  const api = new API({ cwd: "/text", fs: createVirtualFileSystem(files) });
  try {
    const snapshot = api.updateSnapshot({ openProjects: ["/text/tsconfig.json"] });
    const [project] = snapshot.getProjects();
    const found = findMutants(project.program.getSourceFile("/text/text.ts"));
    return found.map((mutant, index) => ({ ...mutant, id: index + 1 }));
  } finally {
    api.close();
  }
}
