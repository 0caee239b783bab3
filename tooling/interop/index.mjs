// Entry of this folder for tests.
export { CLIENTS, SCENARIO_NAMES } from "./clients.mjs";
export { describeResults } from "./report.mjs";
export { runClient } from "./run-client.mjs";
