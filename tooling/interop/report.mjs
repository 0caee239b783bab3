import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { toTable } from "../scripts/to-table.mjs";
import { AGENT_SCENARIO_NAMES } from "./agents/agents.mjs";
import { CALLED_SCENARIO_NAMES } from "./called/run-called.mjs";
import { SCENARIO_NAMES } from "./clients.mjs";

const PAGE = path.resolve(import.meta.dirname, "../../docs/interop.md");
/** The tables of the page: their marks and their heads. */
export const TABLES = {
  clients: {
    begin: "<!-- results: written by npm run interop -->",
    end: "<!-- end of results -->",
    head: ["client", "version", "binding", ...SCENARIO_NAMES],
  },
  agents: {
    begin: "<!-- agents: written by npm run interop -->",
    end: "<!-- end of agents -->",
    head: ["agent", "version", ...AGENT_SCENARIO_NAMES],
  },
  called: {
    begin: "<!-- called: written by npm run interop -->",
    end: "<!-- end of called -->",
    head: ["agent", "version", ...CALLED_SCENARIO_NAMES],
  },
};
const MARKS = { passed: "yes", failed: "FAILED", lacks: "–" };

/**
 * A row of the table.
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {string} version
 * @property {string} [binding] absent for an agent
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
    ...(binding === undefined ? [] : [binding]),
    ...own.map((cell) => `${MARKS[cell.outcome]}${noteOf(cell)}`),
  ]);
  const faults = rows.flatMap(({ name, version, binding, cells: own }) =>
    own
      .filter(({ outcome }) => outcome === "failed")
      .map(
        (cell) =>
          `${[`${name} ${version}`, binding, cell.name].filter(Boolean).join(", ")}: ${cell.note}`,
      ),
  );
  return { cells, notes: notes.map((note, index) => `${index + 1}. ${note}`), faults };
}

/** Formats the results for a terminal. */
export function formatResults({ head }, { cells, notes, faults }) {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column].length)),
  );
  const lines = [head, ...cells].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, "", ...notes, ...faults.map((fault) => `\nFAILED: ${fault}`), ""].join("\n");
}

/** Writes a table and its notes into docs/interop.md, between the marks of the table. */
export function writeResults({ begin, end: mark, head }, { cells, notes, faults }) {
  const page = readFileSync(PAGE, "utf8");
  const [before] = page.split(begin);
  const [, after] = page.split(mark);
  const date = new Date().toISOString().slice(0, 10);
  const end = faults.length === 0 ? "Every cell that was run passed." : "Some cells failed.";
  const text = [
    begin,
    `${date}, Node ${process.versions.node}. ${end}`,
    "",
    toTable(head, cells),
    "",
    ...notes,
    mark,
  ].join("\n");
  writeFileSync(PAGE, `${before}${text}${after}`);
}
