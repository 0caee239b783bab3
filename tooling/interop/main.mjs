// Runs third-party clients against the built dt-server, prints a table, and writes it into docs/interop.md.
// Arguments select clients: `npm run interop -- sdk-1.3 mastra`. A run with selected clients does not write
// the document. `--fresh` installs the clients again. The exit code is 1 if a cell failed.
import { CLIENTS } from "./clients.mjs";
import { installClient } from "./install.mjs";
import { openInteropServer } from "./open-server.mjs";
import { describeResults, formatResults, writeResults } from "./report.mjs";
import { runClient } from "./run-client.mjs";

const given = process.argv.slice(2);
const isFresh = given.includes("--fresh");
const words = given.filter((word) => !word.startsWith("--"));
const chosen = CLIENTS.filter(
  ({ folder }) => words.length === 0 || words.some((word) => folder.includes(word)),
);
if (chosen.length === 0) {
  const names = [...new Set(CLIENTS.map(({ folder }) => folder))].join(", ");
  process.stderr.write(`there is no client ${words.join(" or ")}; try ${names}\n`);
  process.exit(2);
}

const fresh = new Set();
const installed = chosen.map((client) => {
  // Two rows may share a folder. `--fresh` installs it again only for the first row.
  const options = { isFresh: isFresh && !fresh.has(client.folder) };
  fresh.add(client.folder);
  return { client, ...installClient(client, options) };
});

const rows = [];
const server = await openInteropServer();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => server.close().finally(() => process.exit(1)));
}
try {
  for (const { client, entry, version } of installed) {
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

const results = describeResults(rows);
process.stdout.write(formatResults(results));
if (words.length === 0) writeResults(results);
if (results.faults.length > 0) process.exitCode = 1;

function summarise(cells) {
  const namesOf = (wanted) =>
    cells.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
  const failed = namesOf("failed");
  return failed.length > 0 ? `failed: ${failed.join(", ")}` : "ok";
}
