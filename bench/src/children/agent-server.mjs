// Runs our server in its own process. The first argument is its set-up as JSON.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAgentServer, issueToken } from "@dt/server";
import { openBurstAgent, releaseHeld } from "./burst-agent.mjs";
import { openBenchStore } from "./open-bench-store.mjs";
import { serveParent } from "./serve-parent.mjs";

const { store = "memory", agent = "burst", limits = {}, sweepMs } = JSON.parse(process.argv[2]);
const directory = mkdtempSync(path.join(tmpdir(), "dt-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

const openAgent =
  agent === "burst" ? openBurstAgent : (await import("./model-agent.mjs")).openModelAgent;
const { store: sessions, close: closeStore } = await openBenchStore(store, directory);
const server = await createAgentServer({
  openAgent,
  store: sessions,
  workspaceRoots: [directory],
  defaultSettings: { workspacePath: directory, allowedTools: [], mcpServers: {} },
  limits: { maxTurns: 1_000, maxTurnsPerOwner: 1_000, ...limits },
  ...(sweepMs !== undefined && { sweepMs }),
  onFault: (reason) => process.stderr.write(`${reason?.stack ?? reason}\n`),
});
serveParent({
  url: server.url,
  directory,
  async close() {
    await server.close();
    await closeStore();
  },
  answer: { release: releaseHeld, token: createToken },
});

/**
 * Creates a token for the local user. Requests with and without the token then have the same user and do
 * the same work.
 */
async function createToken() {
  const token = await issueToken(sessions, {
    user: "local",
    name: "bench",
    role: "admin",
    now: new Date(),
  });
  return { token };
}
