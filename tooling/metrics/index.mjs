// Exports the checks that tests/repository also uses.
export { commentsOf, isRiddle } from "./comments.mjs";
export { findDuplicateExports } from "./duplicate-exports.mjs";
export { anchorsIn, linksIn, resolveLink } from "./markdown.mjs";
export { findMisnamedConstants } from "./module-constants.mjs";
export { parseTexts } from "./parse-files.mjs";
export { isImportable, isTestFile, readRepository } from "./read-repository.mjs";
export { findDangling } from "./references.mjs";
export { MAX_TEST_NAME, testNamesOf } from "./test-names.mjs";
