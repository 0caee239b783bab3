// Measures each row and compares it with its budget, and most rows also with a raw baseline. Prints a table.
// Arguments select rows by name: `npm run bench -- sse idle`. Without them, the bench measures all rows and
// writes docs/benchmarks.md. With `--peers`, it installs gemini-cli's A2A server into a temporary directory
// and measures the same work there.
import { healthRow, newcomerRow } from "./app-rows/fairness.mjs";
import { instancesRow, takeOverRow } from "./app-rows/instances.mjs";
import { longAnswerRow } from "./app-rows/long-answer.mjs";
import { manyAnswersRow } from "./app-rows/many-answers.mjs";
import { nextTurnRow } from "./app-rows/next-turn.mjs";
import { shellOutputRow } from "./app-rows/shell-output.mjs";
import { taskBurstRow } from "./app-rows/task-burst.mjs";
import { leakedHeapRow, taskMemoryRow } from "./app-rows/task-memory.mjs";
import { taskStartRow } from "./app-rows/task-start.mjs";
import { installPeer } from "./apps/peer-server.mjs";
import { scoped } from "./child.mjs";
import { buildTable, describeRow, writeReport } from "./report.mjs";
import { attachedRow, broadcastRow } from "./rows/broadcast.mjs";
import { growthRow } from "./rows/growth.mjs";
import { idleTaskRow } from "./rows/idle-task.mjs";
import { firstEventRow, longTurnRow, manyTasksRow, newTasksRow } from "./rows/many-tasks.mjs";
import { coldStartRow, idleMemoryRow } from "./rows/server-process.mjs";
import { slowClientRow } from "./rows/slow-client.mjs";
import { sseReadyRow, sseRow } from "./rows/sse.mjs";
import { firstPromptRow, idleTerminalRow, keyPressRow } from "./rows/terminal.mjs";
import { tokenRow } from "./rows/token.mjs";

const rows = [
  taskStartRow(),
  taskStartRow("gemini"),
  nextTurnRow,
  longAnswerRow("gemini", "Gemini"),
  longAnswerRow("openai", "OpenAI"),
  manyAnswersRow({ everyMs: 10, limit: 1.2, rounds: 3 }),
  manyAnswersRow({ everyMs: 0, limit: 2, rounds: 5 }),
  taskBurstRow,
  taskMemoryRow,
  leakedHeapRow,
  shellOutputRow,
  healthRow,
  newcomerRow,
  coldStartRow,
  idleMemoryRow,
  firstPromptRow,
  idleTerminalRow,
  keyPressRow,
  sseRow("memory", 1.3),
  sseRow("sqlite", 2),
  sseReadyRow("memory", 1.8),
  sseReadyRow("sqlite", 2.5),
  sseReadyRow("postgres", 4),
  instancesRow,
  takeOverRow,
  tokenRow,
  growthRow("memory"),
  growthRow("sqlite"),
  growthRow("sqlite", { last: 1_000_000, rounds: 3 }),
  broadcastRow({ events: 1_000, clients: 100, limit: 1.3 }),
  broadcastRow({ events: 200, clients: 1_000, limit: 1.2 }),
  attachedRow,
  longTurnRow,
  manyTasksRow,
  newTasksRow,
  firstEventRow,
  idleTaskRow(false),
  idleTaskRow(true),
  slowClientRow,
];

const given = process.argv.slice(2);
const words = given.filter((word) => !word.startsWith("--")).map((word) => word.toLowerCase());
const chosen = rows.filter(({ name }) => {
  return words.length === 0 || words.some((word) => name.toLowerCase().includes(word));
});

const results = [];
await scoped(async (own) => {
  const peer = given.includes("--peers") ? own(installPeer()) : undefined;
  for (const [index, row] of chosen.entries()) {
    process.stderr.write(`[${index + 1}/${chosen.length}] ${row.name} … `);
    results.push(await measure(row, peer));
    process.stderr.write(`${describeRow(results.at(-1))}\n`);
  }
});
process.stdout.write(`${buildTable(results)}\n`);
if (words.length === 0) writeReport(results);

async function measure({ name, budget, limit, run }, peer) {
  const row = { name, budget, limit };
  try {
    const found = await scoped((own) => run(own, { peer }));
    if (limit === undefined) return { ...row, ...found, outcome: "no budget" };
    return { ...row, ...found, outcome: found.value <= limit ? "met" : "missed" };
  } catch (reason) {
    const [line] = String(reason?.message ?? reason).split("\n");
    return { ...row, measured: `not measured: ${line}`, outcome: "missed" };
  }
}
