// `npm run metrics`: prints figures about the structure of the sources, as a Markdown table.
// `--json FILE` writes all figures, and `--list` prints the items behind them.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureExports } from "./measure-exports.mjs";
import { measureSources } from "./measure-sources.mjs";
import { measureWalk } from "./measure-walk.mjs";
import { measureWords } from "./measure-words.mjs";
import { readSources } from "./read-sources.mjs";

const root = path.resolve(fileURLToPath(new URL("../..", import.meta.url)));
const { values } = parseArgs({ options: { json: { type: "string" }, list: { type: "boolean" } } });

const metrics = {
  ...measureSources(readSources(root)),
  exports: measureExports(root),
  words: measureWords(root),
  walk: await measureWalk(root),
};
const { exports, walk, words } = metrics;
const riddleShare = (100 * words.riddles.length) / words.comments;
const { median: medianName, max: longestName } = words.testNameLength;

const rows = [
  ["source files", metrics.files, ""],
  ["source lines", metrics.lines, ""],
  ["lines of a file: median, p95, max", show(metrics.fileLines), ""],
  ["lines of a function: median, p95, max", show(metrics.functionLines), "max ≤ 110"],
  ["files of a folder: median, p95, max", show(metrics.folderFiles), "max ≤ 15"],
  ["exported names, used outside their package", `${exports.exported}, ${exports.used}`, "all"],
  ["walk of a tool call: files, functions", `${walk.files}, ${walk.functions}`, "≤ 60 files"],
  ["branches on the A2A version outside wire", metrics.versionBranches.length, "0"],
  [
    "comments that begin with What, Who, Where, How, Told, Asked, Made or Of",
    `${words.riddles.length} of ${words.comments} (${riddleShare.toFixed(1)} %)`,
    "< 1 %",
  ],
  ["exported names that exist twice", words.duplicateExports.length, "0"],
  ["dangling references in comments and documents", words.dangling.length, "0"],
  ["module constants that are not in SCREAMING_CASE", words.misnamedConstants.length, "0"],
  ["characters of a test name: median, max", `${medianName}, ${longestName}`, "max ≤ 100"],
];
console.log("| metric | value | wanted |\n|---|---|---|");
for (const row of rows) console.log(`| ${row.join(" | ")} |`);

if (values.list === true) {
  printList(
    "longest functions",
    metrics.longestFunctions,
    (one) => `${one.lines} ${one.name} (${one.file})`,
  );
  printList("fullest folders", metrics.fullestFolders, (one) => `${one.files} ${one.folder}`);
  printList(
    "names that no other package uses",
    exports.unused,
    (one) => `${one.entry} ${one.name}`,
  );
  printList("files of the walk by package", countPackages(walk.list), (one) => one.join(" "));
  printList("files of the walk", walk.list, (one) => `${one.functions} ${one.file}`);
  printList("branches on the version", metrics.versionBranches, (file) => file);
  printList("comments that begin with a question word", words.riddles, showComment);
  printList(
    "exported names that exist twice",
    words.duplicateExports,
    (one) => `${one.name} (${one.files.join(", ")})`,
  );
  printList(
    "dangling references",
    words.dangling,
    ({ file, line, reference }) => `${file}:${line} ${reference}`,
  );
  printList(
    "module constants in another case",
    words.misnamedConstants,
    ({ file, name }) => `${file} ${name}`,
  );
  printList(
    "longest test names",
    words.longestTestNames,
    ({ file, name }) => `${name.length} ${name} (${file})`,
  );
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(metrics, null, 2)}\n`);

function show({ median, p95, max }) {
  return `${median}, ${p95}, ${max}`;
}

function showComment({ file, line, text }) {
  return `${file}:${line} ${text.slice(0, 80)}`;
}

/** Counts the files per package, largest first: `[46, "packages/server"]`. */
function countPackages(list) {
  const counts = new Map();
  for (const { file } of list) {
    const name = file.split("/").slice(0, 2).join("/");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => [count, name]).toSorted(([a], [b]) => b - a);
}

function printList(title, items, toLine) {
  console.log(`\n${title}:`);
  for (const item of items) console.log(`  ${toLine(item)}`);
}
