import { type ExternalAgent, type ExternalProgram, SetupError } from "@dt/schema";
import { type AcpAgentOptions, createAcpAgent } from "./create-acp-agent.js";

/** An agent that dt knows by name. */
interface Preset
  extends ExternalProgram,
    Pick<AcpAgentOptions, "authMethods" | "readsMissingAsEmpty"> {}

const GOOGLE = [
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_GENAI_USE_VERTEXAI",
  "GOOGLE_CLOUD_PROJECT",
  "GOOGLE_CLOUD_LOCATION",
  "GOOGLE_APPLICATION_CREDENTIALS",
];
const ANTHROPIC = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
const OPENAI = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];

const PRESETS: Readonly<Record<string, Preset>> = {
  gemini: {
    command: "gemini",
    args: ["--acp"],
    keepVariables: [...GOOGLE, "GEMINI_MODEL", "GEMINI_CLI_HOME"],
    authMethods: ["gemini-api-key"],
    readsMissingAsEmpty: true,
  },
  claude: {
    command: "claude-agent-acp",
    args: [],
    keepVariables: [
      ...ANTHROPIC,
      "ANTHROPIC_MODEL",
      "CLAUDE_CONFIG_DIR",
      "CLAUDE_CODE_OAUTH_TOKEN",
    ],
  },
  codex: {
    command: "codex-acp",
    args: [],
    keepVariables: [...OPENAI, "CODEX_API_KEY", "CODEX_HOME"],
    authMethods: ["codex-api-key", "openai-api-key"],
  },
  opencode: {
    command: "opencode",
    args: ["acp"],
    keepVariables: [...GOOGLE, ...ANTHROPIC, ...OPENAI, "OPENROUTER_API_KEY", "OPENCODE_CONFIG"],
  },
};

/** Names of the agents that need no command line. */
export const EXTERNAL_AGENT_NAMES: readonly string[] = Object.keys(PRESETS);

/** The choice of an external agent. */
export interface ExternalAgentChoice extends Pick<AcpAgentOptions, "timeouts" | "limits"> {
  /** One of {@link EXTERNAL_AGENT_NAMES}, or a command line. */
  readonly agent: string;
  /** Names of further variables that the agent's process gets. */
  readonly keepVariables?: readonly string[];
}

/**
 * Creates an agent from its name or command line. A command line is split at spaces outside quotes and is not
 * run by a shell. If the command line starts a program that this file lists, the settings that are listed for
 * that program apply too.
 */
export function createExternalAgent(choice: ExternalAgentChoice): ExternalAgent {
  const { agent, keepVariables = [], ...options } = choice;
  const named = PRESETS[agent.trim()];
  const [command = "", ...args] = named ? [named.command, ...named.args] : splitCommandLine(agent);
  if (command === "") {
    const names = EXTERNAL_AGENT_NAMES.join(", ");
    throw new SetupError(`the agent has no name; use one of ${names}, or a command line`);
  }
  const name = nameOf(command);
  const known = named ?? Object.values(PRESETS).find((preset) => preset.command === name);
  const keep = [...new Set([...(known?.keepVariables ?? []), ...keepVariables])];
  return createAcpAgent({
    ...options,
    name: named === undefined ? name : agent.trim(),
    program: { command, args, keepVariables: keep },
    authMethods: known?.authMethods,
    readsMissingAsEmpty: known?.readsMissingAsEmpty,
  });
}

/** The environment variables of dt and dt-server that decide how an external agent is started. */
interface AgentVariables {
  readonly DT_AGENT_VARIABLES?: string | undefined;
  readonly DT_AGENT_TIMEOUT_MS?: string | undefined;
}

/** Reads the variables of an external agent; throws a {@link SetupError} if one is invalid. */
export function readAgentVariables({
  DT_AGENT_VARIABLES: names = "",
  DT_AGENT_TIMEOUT_MS: timeout = "",
}: AgentVariables): Pick<ExternalAgentChoice, "keepVariables" | "timeouts"> {
  const keepVariables = names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (timeout === "") return { keepVariables };
  const ms = Number(timeout);
  if (!/^\d{1,9}$/.test(timeout) || ms < 1) {
    throw new SetupError(
      `DT_AGENT_TIMEOUT_MS: expected a whole number of milliseconds, got ${timeout}`,
    );
  }
  return { keepVariables, timeouts: { initialize: ms, open: ms } };
}

/** Returns the name of a program without its directory and extension. */
function nameOf(command: string): string {
  const last = command.split(/[\\/]/).at(-1) ?? command;
  return last.replace(/\.(exe|cmd|js|mjs)$/, "");
}

/** Splits a command line at spaces. Single and double quotes keep spaces. Pure. */
export function splitCommandLine(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const char of line) {
    if (quote !== "") {
      if (char === quote) quote = "";
      else word = (word ?? "") + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== "") {
    throw new SetupError(`the agent's command line has an unclosed ${quote}; close it: ${line}`);
  }
  return word === undefined ? words : [...words, word];
}
