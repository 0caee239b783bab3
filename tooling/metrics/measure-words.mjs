import { isRiddle } from "./comments.mjs";
import { findDuplicateExports } from "./duplicate-exports.mjs";
import { spread } from "./measure-sources.mjs";
import { findMisnamedConstants } from "./module-constants.mjs";
import { isImportable, isTestFile, readRepository } from "./read-repository.mjs";
import { findDangling } from "./references.mjs";
import { testNamesOf } from "./test-names.mjs";

/** Measures comments, exported names, references, test names and constants of the whole repository. */
export function measureWords(root) {
  const repository = readRepository(root);
  const { sources, comments } = repository;
  const testNames = sources.filter(({ file }) => isTestFile(file)).flatMap(testNamesOf);
  return {
    comments: comments.length,
    riddles: comments.filter(isRiddle),
    duplicateExports: findDuplicateExports(sources.filter(isImportable)),
    dangling: findDangling(repository),
    misnamedConstants: sources.filter(hasCheckedConstants).flatMap(findMisnamedConstants),
    testNames: testNames.length,
    testNameLength: spread(testNames.map(({ name }) => name.length)),
    longestTestNames: testNames
      .toSorted((one, other) => other.name.length - one.name.length)
      .slice(0, 12),
  };
}

/** Returns false for tests and `.d.mts` files, because the names of their constants are not checked. */
function hasCheckedConstants({ file }) {
  return !isTestFile(file) && !file.endsWith(".d.mts");
}
