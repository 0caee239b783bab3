import type { VariableInfo } from "@dt/agent-core";

/** The variables that dt reads, apart from those of models and settings. */
export const CLI_VARIABLES = {
  DT_HOST: {
    type: "text",
    default: "`127.0.0.1`",
    effect: "Address on which the endpoint listens, if `--host` is not given.",
  },
  DT_AGENT: {
    type: "text",
    default: "none: dt's own model",
    effect:
      "Agent that runs the turns, if `--agent` is not given: `gemini`, `claude`, `codex`, `opencode` or a command line.",
  },
  DT_AGENT_VARIABLES: {
    type: "names, separated by commas",
    default: "none",
    effect: "Further variables that the process of the agent gets, for example its key.",
  },
  DT_AGENT_TIMEOUT_MS: {
    type: "whole number",
    default: "`120000`",
    effect: "Time that the agent gets to start, and again to open a session.",
  },
  DT_PUBLIC_URL: {
    type: "address",
    default: "the address of the endpoint",
    effect:
      "Address at which devices reach the endpoint, for example `https://dt.example/`. If it is set, every request needs a token.",
  },
  DT_TLS_CERT: {
    type: "file",
    default: "none",
    effect: "Certificate chain in PEM. With `DT_TLS_KEY`, the endpoint serves https.",
  },
  DT_TLS_KEY: { type: "file", default: "none", effect: "Private key of `DT_TLS_CERT`, in PEM." },
  DT_DATA_DIR: {
    type: "directory",
    default: "`$XDG_DATA_HOME/dt`, else `~/.local/share/dt`",
    effect: "Directory for the database `dt.db`, the files of sessions, and logs.",
  },
  DT_SECRET_KEY: {
    type: "secret",
    default: "none",
    effect:
      "Key of at least 32 characters that encrypts secrets of clients in the database. Without it, such secrets stay in memory and end with the process.",
    hasFile: true,
  },
  DT_PREVIOUS_SECRET_KEY: {
    type: "secret",
    default: "none",
    effect: "The value of `DT_SECRET_KEY` before its last change. It only decrypts.",
    hasFile: true,
  },
  DT_POLICY_FILE: {
    type: "file",
    default: "none",
    effect: "Limits on the session that no setting, option, client or command can loosen.",
  },
  DT_SETTINGS_FILE: {
    type: "file",
    default: "none",
    effect: "Settings that are defaults. All other sources override them.",
  },
  XDG_DATA_HOME: {
    type: "directory",
    default: "`~/.local/share`",
    effect: "Parent of the default data directory.",
  },
  DT_TOKEN: {
    type: "secret",
    default: "none",
    effect: "Token that `dt attach` sends to the agent.",
  },
  NO_COLOR: { type: "text", default: "none", effect: "A non-empty value turns colours off." },
  TERM: {
    type: "text",
    default: "none",
    effect: "`dumb` turns the screen and colours off; prompts are then read line by line.",
  },
  TMUX: {
    type: "text",
    default: "none",
    effect: "Set by tmux. dt then waits longer before it draws after a resize.",
  },
  VISUAL: {
    type: "command line",
    default: "`EDITOR`, else `vi`",
    effect: "Editor for a proposed file.",
  },
  EDITOR: { type: "command line", default: "`vi`", effect: "Editor, if `VISUAL` is not set." },
} as const satisfies Record<string, VariableInfo>;

/** The values of dt's variables. Code that reads an undeclared variable does not compile. */
export type CliEnvironment = {
  readonly [Name in keyof typeof CLI_VARIABLES]?: string | undefined;
};
