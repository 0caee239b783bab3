import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import type { Refreshable } from "@dt/client";
import { findLocalAgents, type LocalAgent } from "@dt/client/node";
import { agentFileDirectory, showControl } from "@dt/schema";
import { SetupError } from "@dt/server";
import type { CommandContext } from "./command-context.js";
import { listAgents, sortAgents } from "./list-agents.js";

/** The agent to attach to. */
export interface ChosenAgent {
  readonly url: string;
  readonly token: Refreshable<string | undefined>;
}

/** Pauses between the attempts to find the new token of an agent that was started again. */
const RETRY_MS = 200;
/** Maximum number of attempts to find that token. */
const MAX_ATTEMPTS = 25;

/**
 * Finds the agent to attach to: the agent at the given address, or else an agent that runs on this machine.
 * If several agents run, asks the person. Resolves with undefined if the person leaves. A token in
 * `DT_TOKEN` replaces the token in the agent file.
 */
export async function chooseAgent(
  url: string | undefined,
  { environment, home, workspacePath }: CommandContext,
  signal: AbortSignal,
): Promise<ChosenAgent | undefined> {
  const token = environment.DT_TOKEN || undefined;
  if (url !== undefined && token !== undefined) return { url, token };
  const directory = agentFileDirectory(environment, home);
  const agents = await findLocalAgents({ directory });
  if (url !== undefined) {
    const agent = agents.find((each) => isSameAddress(each.url, url));
    return { url, token: agent && tokenOf(agent, directory) };
  }
  const sorted = sortAgents(agents, workspacePath);
  const [only, ...others] = sorted;
  if (only === undefined) {
    throw new SetupError(
      "no agent runs on this machine; start one with dt --a2a-port 0 or dt-server, or give an address",
    );
  }
  const chosen = others.length === 0 ? only : await ask(sorted, signal);
  return chosen && { url: chosen.url, token: token ?? tokenOf(chosen, directory) };
}

/**
 * Returns a function that gives the token of an agent. An agent that is started again has another token, so the
 * function reads the agent files again if the token was refused.
 */
function tokenOf({ url, token }: LocalAgent, directory: string): Refreshable<string> {
  let known = token;
  return async ({ wasRefused }) => {
    for (let attempt = 1; wasRefused && attempt <= MAX_ATTEMPTS; attempt += 1) {
      const agents = await findLocalAgents({ directory });
      const latest = agents.find((agent) => isSameAddress(agent.url, url));
      if (latest !== undefined && latest.token !== known) {
        known = latest.token;
        break;
      }
      // The agent answers before its file is written.
      await setTimeout(RETRY_MS);
    }
    return known;
  };
}

function isSameAddress(one: string, other: string): boolean {
  const plain = (url: string) => new URL(url).href.replace("//localhost:", "//127.0.0.1:");
  return plain(one) === plain(other);
}

async function ask(
  agents: readonly LocalAgent[],
  signal: AbortSignal,
): Promise<LocalAgent | undefined> {
  const { stdin, stdout: output } = process;
  const reader = createInterface({ input: stdin, output });
  const closed = new AbortController();
  reader.once("close", () => closed.abort());
  try {
    for (const line of listAgents(agents)) output.write(`${showControl(line)}\n`);
    const leaving = AbortSignal.any([signal, closed.signal]);
    for (;;) {
      const answer = await reader.question("Attach to which one? [1] ", { signal: leaving });
      const chosen = agents[Number(answer.trim() || "1") - 1];
      if (chosen !== undefined) return chosen;
      output.write(`type a number from 1 to ${agents.length}\n`);
    }
  } catch (reason) {
    // The person pressed Ctrl-C or ended the input.
    if (reason instanceof Error && reason.name === "AbortError") return undefined;
    throw reason;
  } finally {
    reader.close();
  }
}
