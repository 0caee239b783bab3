import fs from "node:fs";
import path from "node:path";

/**
 * A fault that no test can notice. The list identifies a fault by the text of its source line, because line
 * numbers change with every edit above the line.
 *
 * @typedef {object} Equivalent
 * @property {string} file
 * @property {string} code the source line on which the fault begins, without its indentation
 * @property {string} change
 * @property {string} reason
 */

/** @returns {Equivalent[]} */
export function readEquivalents() {
  return JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "equivalents.json"), "utf8"));
}

/** Returns true if a mutant is the listed fault. */
export function isSameFault(known, { file, code, change }) {
  return known.file === file && known.code === code && known.change === change;
}

/** Finds listed faults that no mutant matches, because their source was changed, renamed or moved. */
export function findStale(listed, mutants) {
  return listed.filter((known) => !mutants.some((mutant) => isSameFault(known, mutant)));
}
