// Draws docs/terminal.svg: runs dt in a real terminal with the offline model and a second client. Run it with
// `node tooling/scripts/render-screen.mjs` after a build.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import WebSocket from "ws";

const root = path.resolve(import.meta.dirname, "../..");
const main = path.join(root, "apps/cli/dist/main.js");
const target = path.join(root, "docs/terminal.svg");
const SIZE = { cols: 92, rows: 43 };
const PORT = 41_243;
const TIMEOUT_MS = 30_000;
const PALETTE = ["#282828", "#fb4934", "#b8bb26", "#fabd2f", "#83a598", "#d3869b", "#8ec07c"];

const directory = path.join(tmpdir(), "greeter");
const home = path.join(tmpdir(), "greeter-home");
for (const each of [directory, home]) {
  rmSync(each, { recursive: true, force: true });
  mkdirSync(each, { recursive: true });
}
writeFileSync(
  path.join(directory, "greet.ts"),
  [
    "/** Greets someone by name. */",
    "export function greet(name: string): string {",
    '  return "Hello, " + name;',
    "}",
    "",
  ].join("\n"),
);

const terminal = new xterm.Terminal({ ...SIZE, allowProposedApi: true });
const child = spawn(process.execPath, [main, "--a2a-port", String(PORT)], {
  ...SIZE,
  cwd: directory,
  env: { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color" },
});
let check = () => {};
child.onData((data) => terminal.write(data, () => check()));
const exited = new Promise((resolve) => child.onExit(resolve));

try {
  await until("A2A http");
  type(
    "think A plan: look at the file, change it then say I will look at **greet.ts** and see what `greet` says. then read greet.ts\r",
  );
  await until("✓ read_file");
  await until(/Ask anything/);
  promptAs("IDE", "run printf 'ok 1 - greets\\nok 2 - by name\\n1..2\\n'");
  await until(/Allow run_shell_command[\s\S]*› 1/);
  type("1");
  await until("✓ run_shell_command");
  await until(/Ask anything/);
  type("edit greet.ts: Hello -> Good morning then say Done.\r");
  await until(/Allow replace[\s\S]*› 1/);
  writeFileSync(target, toSvg());
  process.stdout.write(`${path.relative(root, target)} is drawn\n`);
} finally {
  child.kill("SIGKILL");
  await exited;
  for (const each of [directory, home]) rmSync(each, { recursive: true, force: true });
}

function type(keys) {
  child.write(keys);
}

/** Sends a prompt as another client of the same session. */
function promptAs(name, text) {
  const socket = new WebSocket(`ws://127.0.0.1:${PORT}/ws`, { headers: { "X-DT-Client": name } });
  socket.on("open", () => {
    const message = { content: { text } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "message/stream", params: { message } }));
  });
}

function until(fits) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`timed out waiting for ${fits}; the screen shows:\n${screenText()}`));
    }, TIMEOUT_MS);
    check = () => {
      const text = screenText();
      if (typeof fits === "string" ? !text.includes(fits) : !fits.test(text)) return;
      clearTimeout(timer);
      check = () => {};
      resolve();
    };
    check();
  });
}

function screenText() {
  return rows()
    .map((row) => row?.translateToString(true) ?? "")
    .join("\n");
}

function rows() {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row));
}

/**
 * Renders the screen as SVG. Each piece of text in one style gets its own position, so that the picture is
 * right with any font.
 */
function toSvg() {
  const cell = { width: 8.4, height: 18 };
  const margin = 16;
  const runs = rows().flatMap((row, index) => runsOf(row).map((run) => ({ ...run, row: index })));
  const texts = runs.map(({ text, column, row, style }) => {
    const x = (margin + column * cell.width).toFixed(1);
    const y = (margin + (row + 0.75) * cell.height).toFixed(1);
    const length = (text.length * cell.width).toFixed(1);
    const box = style.isInverse
      ? `<rect x="${x}" y="${(margin + row * cell.height).toFixed(1)}" width="${length}" height="${cell.height}" fill="${style.colour}"/>`
      : "";
    const fill = style.isInverse ? "#1d2021" : style.colour;
    const weight = style.isBold ? ' font-weight="bold"' : "";
    const opacity = style.isDim ? ' opacity="0.6"' : "";
    return `${box}<text x="${x}" y="${y}" textLength="${length}" fill="${fill}"${weight}${opacity}>${escapeText(text.replaceAll(" ", "\u00a0"))}</text>`;
  });
  const width = Math.ceil(2 * margin + SIZE.cols * cell.width);
  const height = Math.ceil(2 * margin + SIZE.rows * cell.height);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="#1d2021"/>
${texts.join("\n")}
</svg>
`;
}

/** Splits a row into pieces of text that each have one style. */
function runsOf(row) {
  const runs = [];
  for (let column = 0; column < SIZE.cols; column += 1) {
    const cell = row?.getCell(column);
    const text = cell?.getChars() || " ";
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (last !== undefined && JSON.stringify(last.style) === JSON.stringify(style)) {
      last.text += text;
    } else {
      runs.push({ text, column, style });
    }
  }
  return runs.flatMap((run) => {
    if (run.style.isInverse) return [run];
    const text = run.text.trim();
    const indent = run.text.length - run.text.trimStart().length;
    return text === "" ? [] : [{ ...run, text, column: run.column + indent }];
  });
}

function styleOf(cell) {
  const colour = cell?.isFgPalette() ? PALETTE[cell.getFgColor()] : undefined;
  return {
    colour: colour ?? "#ebdbb2",
    isBold: Boolean(cell?.isBold()),
    isDim: Boolean(cell?.isDim()),
    isInverse: Boolean(cell?.isInverse()),
  };
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
