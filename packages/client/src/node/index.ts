export type { LocalAgent } from "@dt/schema";
export { type FindLocalAgentsOptions, findLocalAgents } from "./find-local-agents.js";
