// Measures what DESIGN promises beside raw baselines, prints a table and writes docs/benchmarks.md.
// Words on the command line choose rows by their name: `pnpm bench sse idle`.
import { scoped } from "./child.mjs";
import { buildTable, writeReport } from "./report.mjs";
import { attachedRow, broadcastRow } from "./rows/broadcast.mjs";
import { growthRow } from "./rows/growth.mjs";
import { idleTaskRow } from "./rows/idle-task.mjs";
import { firstEventRow, longTurnRow, manyTasksRow, newTasksRow } from "./rows/many-tasks.mjs";
import { coldStartRow, idleMemoryRow } from "./rows/server-process.mjs";
import { slowClientRow } from "./rows/slow-client.mjs";
import { sseRow } from "./rows/sse.mjs";
import { firstPromptRow, keyPressRow } from "./rows/terminal.mjs";

const rows = [
  sseRow("memory", 1.3),
  sseRow("sqlite", 2),
  growthRow("memory"),
  growthRow("sqlite"),
  broadcastRow,
  attachedRow,
  longTurnRow,
  manyTasksRow,
  newTasksRow,
  firstEventRow,
  coldStartRow,
  idleMemoryRow,
  idleTaskRow(false),
  idleTaskRow(true),
  slowClientRow,
  firstPromptRow,
  keyPressRow,
];

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = rows.filter(({ name }) => {
  return words.length === 0 || words.some((word) => name.toLowerCase().includes(word));
});

const results = [];
for (const [index, row] of chosen.entries()) {
  process.stderr.write(`[${index + 1}/${chosen.length}] ${row.name} … `);
  results.push(await measure(row));
  process.stderr.write(`${results.at(-1).measured}\n`);
}
process.stdout.write(`${buildTable(results)}\n`);
if (words.length === 0) writeReport(results);

async function measure({ name, budget, limit, run }) {
  try {
    const { measured, value } = await scoped(run);
    if (limit === undefined) return { name, budget, measured, outcome: "no budget" };
    return { name, budget, limit, measured, value, outcome: value <= limit ? "met" : "missed" };
  } catch (reason) {
    const [line] = String(reason?.message ?? reason).split("\n");
    return { name, budget, limit, measured: `not measured: ${line}`, outcome: "missed" };
  }
}
