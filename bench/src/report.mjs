import { writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const docs = path.resolve(import.meta.dirname, "../../docs");

/** The rows as a table for a terminal. */
export function buildTable(results) {
  const cells = [["what", "measured", "budget", ""], ...results.map(toCells)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Writes docs/benchmarks.md and its chart. */
export function writeReport(results) {
  const rows = results.map((result) => `| ${toCells(result).join(" | ")} |`);
  const missed = results.filter(({ outcome }) => outcome === "missed").map(({ name }) => name);
  const text = [
    "# Benchmarks",
    "",
    "Measured by `pnpm bench`, which writes this page. Ratios stand against a baseline in the same run, on the same machine,",
    "over the same bytes. Runs differ: on a machine that others use, a row near its budget may fall on either side.",
    "",
    "- SSE: the baseline is raw Node that writes each update as JSON, one write each. The stricter one, text that was ready",
    "  before and is only written, is shown beside with its own ratio; against that both rows are far over their budget.",
    "- A client that never reads: what is held after a collection. What the process had from the system is shown beside.",
    "- An evicted task should cost nothing; up to 1 KB counts as nothing here, since the heap moves by that much.",
    "- 50 new tasks: there is no budget; the figure beside is the peer's. The peer is gemini-cli's a2a-server, measured earlier",
    "  on a quiet build machine, not in this run.",
    "",
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${machine()}.`,
    "",
    "| what | measured | budget | |",
    "|---|---|---|---|",
    ...rows,
    "",
    missed.length === 0 ? "Every budget was met." : `Missed: ${missed.join("; ")}.`,
    "",
    "![each row against its budget](benchmarks.svg)",
    "",
  ];
  writeFileSync(path.join(docs, "benchmarks.md"), text.join("\n"));
  writeFileSync(path.join(docs, "benchmarks.svg"), buildChart(results));
}

function toCells({ name, measured, budget, outcome }) {
  return [name, measured, budget, outcome];
}

function machine() {
  const [cpu] = os.cpus();
  const memory = Math.round(os.totalmem() / 1024 ** 3);
  const load = os.loadavg()[0].toFixed(1);
  return `${os.cpus().length} × ${cpu.model.trim()}, ${memory} GB, ${os.type()} ${os.release()}, Node ${process.versions.node}, load ${load}`;
}

/** One bar per row: how much of its budget it used. The line is the budget. */
function buildChart(results) {
  const charted = results.filter(({ value }) => value !== undefined);
  const [left, width, step] = [430, 330, 26];
  const height = charted.length * step + 50;
  const scale = (part) => Math.min(part, 1.5) * (width / 1.5);
  const bars = charted.map(({ name, value, limit, outcome }, index) => {
    const y = 30 + index * step;
    const part = value / limit;
    const colour = outcome === "met" ? "#2f7d4f" : "#b3402a";
    return [
      `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escapeText(name)}</text>`,
      `<rect x="${left}" y="${y}" width="${Math.max(1, scale(part)).toFixed(1)}" height="17" fill="${colour}"/>`,
      `<text x="${(left + scale(part) + 5).toFixed(1)}" y="${y + 13}">${Math.round(part * 100)} %</text>`,
    ].join("");
  });
  const line = left + scale(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${height}" font-family="sans-serif" font-size="11" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="16">share of the budget used (the line is the budget)</text>
${bars.join("\n")}
<line x1="${line}" x2="${line}" y1="24" y2="${height - 16}" stroke="#333" stroke-dasharray="3 3"/>
</svg>
`;
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
