// Entry of this folder for tests.
export { AGENT_SCENARIO_NAMES, AGENTS } from "./agents/agents.mjs";
export { CLIENTS, SCENARIO_NAMES } from "./clients.mjs";
export { describeResults } from "./report.mjs";
export { runClient } from "./run-client.mjs";
