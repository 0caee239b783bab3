import { withoutComments } from "../repository/imports.js";
import { filesUnder, packagesUnder, readText } from "../repository/repository.js";

/** The id of a requirement in the name of a test. */
export interface Citation {
  readonly id: string;
  readonly file: string;
}

/** Reads the citations of all tests. */
export function readCitations(): Citation[] {
  const sources = ["packages", "apps", "examples"]
    .flatMap(packagesUnder)
    .map(({ folder }) => `${folder}/src`);
  return [...sources, "tests"]
    .flatMap((folder) => filesUnder(folder, /\.test\.tsx?$/))
    .filter((file) => !file.startsWith("tests/requirements/"))
    .flatMap((file) => citedIn(readText(file)).map((id) => ({ id, file })));
}

/** Finds the ids in the strings of a source: `"the first answer wins [CLI-14, LOG-03]"`. */
export function citedIn(source: string): string[] {
  const text = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
  const citation = /\[([A-Z]{3,4}-\d{2}(?:, ?[A-Z]{3,4}-\d{2})*)\]/g;
  return [...withoutComments(source).matchAll(text)]
    .flatMap(([literal]) => [...literal.matchAll(citation)])
    .flatMap(([, ids = ""]) => ids.split(/, ?/));
}
