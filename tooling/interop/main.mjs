// Runs third-party clients against the built dt-server and third-party agents behind it, prints two tables, and writes
// them into docs/interop.md. Arguments select rows by their folder: `npm run interop -- sdk-1.3 mastra`. A table is
// written if all of its rows were run, so `npm run interop -- agent-` writes the table of the agents. `--fresh` installs
// everything again. `--show` plays the session of docs/guides/any-agent.md instead. The exit code is 1 if a cell failed.
import { AGENTS } from "./agents/agents.mjs";
import { runAgent } from "./agents/run-agent.mjs";
import { CALLED, runCalled } from "./called/run-called.mjs";
import { CLIENTS } from "./clients.mjs";
import { installClient } from "./install.mjs";
import { openInteropServer } from "./open-server.mjs";
import { describeResults, formatResults, TABLES, writeResults } from "./report.mjs";
import { runClient } from "./run-client.mjs";

const given = process.argv.slice(2);
if (given.includes("--show")) {
  await import("./show/main.mjs");
  process.exit();
}
const isFresh = given.includes("--fresh");
const words = given.filter((word) => !word.startsWith("--"));
const isChosen = ({ folder }) => words.length === 0 || words.some((word) => folder.includes(word));
const clients = CLIENTS.filter(isChosen);
const agents = AGENTS.filter(isChosen);
const called = [CALLED].filter(isChosen);
if (clients.length + agents.length + called.length === 0) {
  const names = [...new Set([...CLIENTS, ...AGENTS, CALLED].map(({ folder }) => folder))].join(
    ", ",
  );
  process.stderr.write(`there is no client or agent ${words.join(" or ")}; try ${names}\n`);
  process.exit(2);
}

const fresh = new Set();
const installed = [...clients, ...agents, ...called].map((chosen) => {
  // Two rows may share a folder. `--fresh` installs it again only for the first row.
  const options = { isFresh: isFresh && !fresh.has(chosen.folder) };
  fresh.add(chosen.folder);
  return { chosen, ...installClient(chosen, options) };
});
const installedClients = installed.slice(0, clients.length);
const installedAgents = installed.slice(clients.length, clients.length + agents.length);
const installedCalled = installed.slice(clients.length + agents.length);

if (installedClients.length > 0) {
  report(TABLES.clients, await runClients(), clients.length === CLIENTS.length);
}
if (installedAgents.length > 0) {
  report(TABLES.agents, await runAll(installedAgents, runAgent), agents.length === AGENTS.length);
}
if (installedCalled.length > 0) {
  report(TABLES.called, await runAll(installedCalled, (_, options) => runCalled(options)), true);
}

async function runClients() {
  const rows = [];
  const server = await openInteropServer();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => server.close().finally(() => process.exit(1)));
  }
  try {
    for (const { chosen: client, entry, version } of installedClients) {
      for (const binding of client.bindings) {
        process.stderr.write(`${client.name} ${version}, ${binding} … `);
        const cells = await runClient(client, { binding, entry, server });
        process.stderr.write(`${summarise(cells)}\n`);
        rows.push({ name: client.name, version, binding, cells });
      }
    }
  } finally {
    await server.close();
  }
  return rows;
}

async function runAll(chosenAgents, run) {
  const rows = [];
  for (const { chosen: agent, directory, version } of chosenAgents) {
    process.stderr.write(`${agent.name} ${version} … `);
    const cells = await run(agent, { directory });
    process.stderr.write(`${summarise(cells)}\n`);
    rows.push({ name: agent.name, version, cells });
  }
  return rows;
}

function report(table, rows, isWhole) {
  const results = describeResults(rows);
  process.stdout.write(formatResults(table, results));
  if (isWhole) writeResults(table, results);
  if (results.faults.length > 0) process.exitCode = 1;
}

function summarise(cells) {
  const namesOf = (wanted) =>
    cells.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
  const failed = namesOf("failed");
  return failed.length > 0 ? `failed: ${failed.join(", ")}` : "ok";
}
