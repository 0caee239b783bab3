import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Writes a program with the agent's name into a folder. This program starts the real agent and records the
 * messages of both sides, one line for each message.
 *
 * @returns {{ bin: string, messages: () => { from: "dt" | "agent", json: any }[] }}
 */
export function recordAgent({ command, program, folder }) {
  const bin = path.join(folder, "bin");
  const log = path.join(folder, "protocol.log");
  mkdirSync(bin, { recursive: true });
  const file = path.join(bin, command);
  const names = JSON.stringify({ program, log });
  writeFileSync(file, `#!/usr/bin/env node\nconst { program, log } = ${names};\n${RECORDER}`);
  chmodSync(file, 0o755);
  return {
    bin,
    messages() {
      if (!existsSync(log)) return [];
      const lines = readFileSync(log, "utf8").split("\n");
      return lines.filter(Boolean).map((line) => JSON.parse(line));
    },
  };
}

const RECORDER = `
const { appendFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const child = spawn(program, process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
const record = (from) => {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      try {
        appendFileSync(log, JSON.stringify({ from, json: JSON.parse(line) }) + "\\n");
      } catch {}
    }
  };
};
process.stdin.on("data", record("dt")).pipe(child.stdin);
child.stdout.on("data", record("agent")).pipe(process.stdout);
child.on("exit", (code) => process.exit(code ?? 1));
`;
