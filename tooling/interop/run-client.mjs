import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { SCENARIO_NAMES } from "./clients.mjs";

const PLAYER = path.join(import.meta.dirname, "play.mjs");
const MAX_LOG = 2_000;

/**
 * Runs the scenarios of one client with one binding. The client runs in its own process, because some
 * clients print text, leave sockets open or crash.
 *
 * @param {import("./clients.mjs").Client} client
 * @returns {Promise<{ name: string, outcome: "passed" | "failed" | "lacks", note?: string }[]>}
 */
export async function runClient(client, { binding, entry, server }) {
  const lacks = (name) => client.lacks?.[name];
  const played = SCENARIO_NAMES.filter((name) => lacks(name) === undefined);
  const outcomes = await play();
  return SCENARIO_NAMES.map((name) => {
    const missing = lacks(name);
    if (missing !== undefined) return { name, outcome: "lacks", note: missing };
    const fault = outcomes.get(name);
    if (fault !== undefined) return { name, outcome: "failed", note: fault };
    return { name, outcome: "passed", note: client.partly?.[name] };
  });

  async function play() {
    const setup = { client, binding, entry, played, url: server.url, workspace: server.workspace };
    const child = fork(PLAYER, [JSON.stringify(setup)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    let log = "";
    const keep = (chunk) => {
      log = `${log}${chunk}`.slice(-MAX_LOG);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const faults = new Map();
    const finished = new Set();
    child.on("message", ({ name, fault }) => {
      finished.add(name);
      if (fault !== undefined) faults.set(name, fault);
    });
    const [code] = await once(child, "close");
    for (const name of played) {
      if (!finished.has(name)) faults.set(name, `its process ended with ${code}: ${log}`);
    }
    return faults;
  }
}
