// Lists the agents of other projects, and what dt is expected to do with each.

/** The scenarios, in the order of the table's columns. */
export const AGENT_SCENARIO_NAMES = [
  "initialize",
  "text",
  "approve",
  "refuse",
  "always",
  "cancel",
  "agent killed",
  "server killed",
  "offers",
];

const NO_MODEL =
  "Its model speaks an interface that this run does not imitate. This run only starts it and opens a session.";
const LOADS_NEXT_MINUTE =
  "It cannot load a session in the minute in which that session began, and dt says so. This run waits for the next minute.";
const BEYOND_START = AGENT_SCENARIO_NAMES.slice(1);

/**
 * An agent of another project, which runs behind dt-server.
 *
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} folder name of its folder in the scratch folder
 * @property {string} preset name for `DT_AGENT`
 * @property {string} command program of the preset
 * @property {Record<string, string>} packages packages to install; the first one is the agent itself
 * @property {Record<string, string>} imports modules that the run imports; agents are programs, so there are none
 * @property {string} [program] file of the program in `node_modules`. Default: that of the command in `.bin`
 * @property {boolean} [needsNode22] true if the agent does not run on the Node of this repository
 * @property {boolean} [loadsNextMinute] true if the agent loads a session only after the minute in which it began
 * @property {Record<string, string>} [partly] scenarios that it can do in part, with what is missing
 * @property {Record<string, string>} [lacks] scenarios that this run cannot do with it, with the reason
 */

const lacksModel = Object.fromEntries(BEYOND_START.map((name) => [name, NO_MODEL]));

/** @type {readonly Agent[]} */
export const AGENTS = [
  {
    name: "Gemini CLI (@google/gemini-cli)",
    folder: "agent-gemini",
    preset: "gemini",
    command: "gemini",
    packages: { "@google/gemini-cli": "~0.61.0" },
    imports: {},
    loadsNextMinute: true,
    partly: { "agent killed": LOADS_NEXT_MINUTE, "server killed": LOADS_NEXT_MINUTE },
  },
  {
    name: "OpenCode (opencode-ai)",
    folder: "agent-opencode",
    preset: "opencode",
    command: "opencode",
    packages: { "opencode-ai": "1" },
    // The script that copies the program to `.bin` is not run.
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    imports: {},
  },
  {
    name: "Claude Code (@agentclientprotocol/claude-agent-acp)",
    folder: "agent-claude",
    preset: "claude",
    command: "claude-agent-acp",
    packages: {
      "@agentclientprotocol/claude-agent-acp": "~0.100.0",
      [`node-${process.platform}-${process.arch}`]: "22",
    },
    imports: {},
    needsNode22: true,
    lacks: lacksModel,
  },
  {
    name: "Codex (@zed-industries/codex-acp)",
    folder: "agent-codex",
    preset: "codex",
    command: "codex-acp",
    packages: { "@zed-industries/codex-acp": "0" },
    imports: {},
    lacks: lacksModel,
  },
];
