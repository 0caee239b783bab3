import path from "node:path";
import { AGENT_SCENARIOS } from "./agent-scenarios.mjs";
import { AGENT_SCENARIO_NAMES } from "./agents.mjs";
import { openAgentStage } from "./open-agent-stage.mjs";

const SCENARIO_MS = 180_000;
const MAX_FAULT_LINES = 12;

/** Runs the scenarios of one agent. Each scenario has its own dt-server, home directory and model. */
export async function runAgent(agent, { directory }) {
  const cells = [];
  for (const name of AGENT_SCENARIO_NAMES) {
    const note = agent.lacks?.[name];
    if (note !== undefined) cells.push({ name, outcome: "lacks", note });
    else cells.push(await play(name, { agent, directory: path.resolve(directory) }));
  }
  return cells;
}

async function play(name, setup) {
  const stage = await openAgentStage(setup);
  let timer;
  const expired = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${SCENARIO_MS} ms`)), SCENARIO_MS);
  });
  try {
    await Promise.race([AGENT_SCENARIOS[name](stage), expired]);
    return { name, outcome: "passed", note: setup.agent.partly?.[name] };
  } catch (reason) {
    const lines = String(reason?.stack ?? reason).split("\n");
    return {
      name,
      outcome: "failed",
      note: `${lines.slice(0, MAX_FAULT_LINES).join("\n")}\n${stage.log()}`,
    };
  } finally {
    clearTimeout(timer);
    await stage.close();
  }
}
