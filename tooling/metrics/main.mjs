// `npm run metrics`: prints figures about the structure of the sources, as a Markdown table.
// `--json FILE` writes all figures, and `--list` prints the items behind them.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureExports } from "./measure-exports.mjs";
import { measureSources } from "./measure-sources.mjs";
import { measureWalk } from "./measure-walk.mjs";
import { readSources } from "./read-sources.mjs";

const root = path.resolve(fileURLToPath(new URL("../..", import.meta.url)));
const { values } = parseArgs({ options: { json: { type: "string" }, list: { type: "boolean" } } });

const metrics = {
  ...measureSources(readSources(root)),
  exports: measureExports(root),
  walk: await measureWalk(root),
};
const { exports, walk } = metrics;

const rows = [
  ["source files", metrics.files, ""],
  ["source lines", metrics.lines, ""],
  ["lines of a file: median, p95, max", show(metrics.fileLines), ""],
  ["lines of a function: median, p95, max", show(metrics.functionLines), "max ≤ 110"],
  ["files of a folder: median, p95, max", show(metrics.folderFiles), "max ≤ 15"],
  ["exported names, used outside their package", `${exports.exported}, ${exports.used}`, "all"],
  ["walk of a tool call: files, functions", `${walk.files}, ${walk.functions}`, "≤ 60 files"],
  ["branches on the A2A version outside wire", metrics.versionBranches.length, "0"],
];
console.log("| what | figure | wanted |\n|---|---|---|");
for (const row of rows) console.log(`| ${row.join(" | ")} |`);

if (values.list === true) {
  printList(
    "longest functions",
    metrics.longestFunctions,
    (one) => `${one.lines} ${one.name} (${one.file})`,
  );
  printList("fullest folders", metrics.fullestFolders, (one) => `${one.files} ${one.folder}`);
  printList("names that nobody outside uses", exports.unused, (one) => `${one.entry} ${one.name}`);
  printList("files of the walk", walk.list, (one) => `${one.functions} ${one.file}`);
  printList("branches on the version", metrics.versionBranches, (file) => file);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(metrics, null, 2)}\n`);

function show({ median, p95, max }) {
  return `${median}, ${p95}, ${max}`;
}

function printList(title, items, toLine) {
  console.log(`\n${title}:`);
  for (const item of items) console.log(`  ${toLine(item)}`);
}
