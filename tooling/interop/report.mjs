import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { toTable } from "../scripts/to-table.mjs";
import { SCENARIO_NAMES } from "./clients.mjs";

const PAGE = path.resolve(import.meta.dirname, "../../docs/interop.md");
const BEGIN = "<!-- results: written by npm run interop -->";
const END = "<!-- end of results -->";
const HEAD = ["client", "version", "binding", ...SCENARIO_NAMES];
const MARKS = { passed: "yes", failed: "FAILED", lacks: "–" };

/**
 * A row of the table.
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {string} version
 * @property {string} binding
 * @property {Awaited<ReturnType<typeof import("./run-client.mjs").runClient>>} cells
 */

/**
 * Converts the results to the cells of the table, their notes and the faults.
 *
 * @param {readonly Row[]} rows
 */
export function describeResults(rows) {
  const notes = [];
  const noteOf = ({ outcome, note }) => {
    if (note === undefined || outcome === "failed") return "";
    if (!notes.includes(note)) notes.push(note);
    return ` (${notes.indexOf(note) + 1})`;
  };
  const cells = rows.map(({ name, version, binding, cells: own }) => [
    name,
    version,
    binding,
    ...own.map((cell) => `${MARKS[cell.outcome]}${noteOf(cell)}`),
  ]);
  const faults = rows.flatMap(({ name, version, binding, cells: own }) =>
    own
      .filter(({ outcome }) => outcome === "failed")
      .map((cell) => `${name} ${version}, ${binding}, ${cell.name}: ${cell.note}`),
  );
  return { cells, notes: notes.map((note, index) => `${index + 1}. ${note}`), faults };
}

/** Formats the results for a terminal. */
export function formatResults({ cells, notes, faults }) {
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column].length)),
  );
  const lines = [HEAD, ...cells].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, "", ...notes, ...faults.map((fault) => `\nFAILED: ${fault}`), ""].join("\n");
}

/** Writes the table and its notes into docs/interop.md, between its two marks. */
export function writeResults({ cells, notes, faults }) {
  const page = readFileSync(PAGE, "utf8");
  const [before] = page.split(BEGIN);
  const [, after] = page.split(END);
  const date = new Date().toISOString().slice(0, 10);
  const end = faults.length === 0 ? "Every cell that was run passed." : "Some cells failed.";
  const text = [
    BEGIN,
    `${date}, Node ${process.versions.node}. ${end}`,
    "",
    toTable(HEAD, cells),
    "",
    ...notes,
    END,
  ].join("\n");
  writeFileSync(PAGE, `${before}${text}${after}`);
}
