// Runs a live session with its endpoint. The parent process acts as the person at the terminal.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openLiveSession, openMemoryStore } from "@dt/server";
import { serveParent } from "./serve-parent.mjs";

/** Maximum number of simultaneous appends to the ledger. A real agent has the same limit. */
const MAX_IN_FLIGHT = 256;

const directory = mkdtempSync(path.join(tmpdir(), "dt-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

let ledger;
let turn = 0;
const stamp = (event) => ({
  kind: "STATE_CHANGE",
  taskId: live.taskId,
  turn,
  state: "input-required",
  at: new Date().toISOString(),
  ...event,
});
const say = (text) =>
  ledger.append({ events: [stamp({ kind: "TEXT_CONTENT", text, state: "working" })] });

const live = await openLiveSession({
  store: openMemoryStore(),
  settings: { workspacePath: directory, allowedTools: [], mcpServers: {} },
  async openAgent(options) {
    ledger = options.ledger;
    return {
      async handle({ type }) {
        if (type === "finish") return { type: "changed", isChanged: true };
        if (type === "list-commands") return { type: "commands", commands: [] };
        if (type === "get-modes")
          return { type: "modes", mode: "default", startMode: "default", others: [] };
        const message = `this agent has no ${type}`;
        return { type: "refused", code: "unsupported-operation", message };
      },
      close: async () => {},
    };
  },
});
const server = await live.serve({
  onFault: (reason) => process.stderr.write(`${reason?.stack ?? reason}\n`),
});

async function burst({ count, end }) {
  turn += 1;
  let last = ledger.append({ events: [stamp({ state: "working" })] });
  for (let index = 1; index <= count; index += 1) {
    last = say(`piece ${index} of it; `);
    if (index % MAX_IN_FLIGHT === 0) await last;
  }
  await say(end);
  await ledger.append({ events: [stamp({})] });
}

serveParent({ url: server.url, directory, close: () => live.close(), answer: { say, burst } });
