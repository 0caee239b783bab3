import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ms, times } from "./figures.mjs";

const docs = path.resolve(import.meta.dirname, "../../docs");
const HEADINGS = [
  "what",
  "model or baseline alone",
  "dt",
  "peer",
  "ratio",
  "server CPU",
  "wanted",
  "",
];
const BEGIN = "<!-- results: written by npm run bench -->";
const END = "<!-- end of results -->";

/** Formats the rows as a table for a terminal. */
export function buildTable(results) {
  const cells = [HEADINGS, ...results.map(toCells)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Describes a row in one line. */
export function describeRow(result) {
  const [, alone, dt, peer, ratio, cpu, , outcome] = toCells(result);
  const parts = [dt, alone && `alone ${alone}`, peer && `peer ${peer}`, ratio, cpu && `CPU ${cpu}`];
  return `${parts.filter(Boolean).join(", ")}: ${outcome}`;
}

/** Writes the table into docs/benchmarks.md, between two comments, and the chart into docs/benchmarks.svg. */
export function writeReport(results) {
  const rows = [HEADINGS, HEADINGS.map(() => "---"), ...results.map(toCells)];
  const missed = results.filter(({ outcome }) => outcome === "missed").map(({ name }) => name);
  const text = [
    BEGIN,
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${machine()}.`,
    "",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    missed.length === 0 ? "Every budget was met." : `Missed: ${missed.join("; ")}.`,
    END,
  ].join("\n");
  const file = path.join(docs, "benchmarks.md");
  const page = readFileSync(file, "utf8");
  const [before] = page.split(BEGIN);
  const [, after] = page.split(END);
  writeFileSync(file, `${before}${text}${after}`);
  writeFileSync(path.join(docs, "benchmarks.svg"), buildChart(results));
}

function toCells(result) {
  const { name, budget, outcome, format, measured, value, figure = value } = result;
  const { alone, peer, cpuMs, per, note } = result;
  const show = (number) => (number === undefined ? "" : format(number));
  const ratios = [
    alone === undefined ? "" : `${times(figure / alone)} alone`,
    peer === undefined ? "" : `${times(figure / peer)} peer`,
  ];
  return [
    name,
    show(alone),
    measured ?? `${show(figure)}${note === undefined ? "" : ` (${note})`}`,
    show(peer),
    ratios.filter(Boolean).join(", "),
    cpuMs === undefined ? "" : `${ms(cpuMs)} a ${per}`,
    budget,
    outcome,
  ];
}

function machine() {
  const [cpu] = os.cpus();
  const memory = Math.round(os.totalmem() / 1024 ** 3);
  const load = os.loadavg()[0].toFixed(1);
  return `${os.cpus().length} × ${cpu.model.trim()}, ${memory} GB, ${os.type()} ${os.release()}, Node ${process.versions.node}, load ${load}`;
}

/** Draws one bar per row. The bar shows the used share of the budget, and a line marks the whole budget. */
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
