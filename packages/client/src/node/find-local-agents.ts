/// <reference types="node" />
import { readdir } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import path from "node:path";
import { agentFileDirectory, type LocalAgent } from "@dt/schema";
import { CARD_PATH } from "../discovery/fetch-agent-card.js";
import { readAgentFile } from "./read-agent-file.js";

/** Options of {@link findLocalAgents}. */
export interface FindLocalAgentsOptions {
  /**
   * Environment variables: `DT_DATA_DIR` and `XDG_DATA_HOME` change the directory of agent files. Pass `process.env` if
   * agents are started with these variables. Default: `~/.local/share/dt/agents`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Directory of agent files. Default: the directory that follows from `environment`. */
  readonly directory?: string;
  /**
   * Maximum time to wait for answers. An agent that does not answer in this time counts as running.
   * Default: 2 s.
   */
  readonly timeoutMs?: number;
}

/** Maximum number of agent files that are read. */
const MAX_FILES = 100;
const TIMEOUT_MS = 2_000;

/**
 * Finds agents of this person that run on this machine, the latest first: each dt with `--a2a-port` and each dt-server.
 * Pass `url` and `token` of an agent to `connect`. An agent is left out if its process has ended, or if its
 * address refuses the connection or serves no agent card.
 */
export async function findLocalAgents({
  environment = {},
  directory = agentFileDirectory(environment, homedir()),
  timeoutMs = TIMEOUT_MS,
}: FindLocalAgentsOptions = {}): Promise<readonly LocalAgent[]> {
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => /^[^.].*\.json$/.test(name)).slice(0, MAX_FILES);
  const agents = await Promise.all(
    files.map(async (name) => {
      const agent = await readAgentFile(path.join(directory, name));
      if (agent === undefined || agent.machine !== hostname() || !isRunning(agent.pid)) return [];
      return (await isGone(agent, timeoutMs)) ? [] : [agent];
    }),
  );
  return agents.flat().sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
}

/** Returns true if a process exists. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The process belongs to another user, or does not exist. Agents of other users are left out, because
    // their files are not trusted.
    return false;
  }
}

/**
 * Returns true if the address refuses the connection or serves no agent card. The token is not sent, because
 * another program may have got the port of an agent that was killed.
 */
async function isGone({ url }: LocalAgent, timeoutMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const card = new URL(CARD_PATH, url.endsWith("/") ? url : `${url}/`);
    const response = await fetch(card, { signal, redirect: "error" });
    await response.body?.cancel();
    return !response.ok;
  } catch {
    // After the timeout the agent may only be busy, so it counts as running.
    return !signal.aborted;
  }
}
