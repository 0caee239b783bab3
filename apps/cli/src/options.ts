/** The permission modes, as `--mode` accepts them. */
export const CLI_MODES = ["default", "auto-edit", "yolo", "plan"] as const;

/**
 * The options of dt. The parser, `--help` and docs/cli.md use this table. `value` is the name of an
 * option's argument.
 */
export const CLI_OPTIONS = {
  prompt: { type: "string", short: "p", value: "TEXT", effect: "run one prompt without a screen" },
  output: {
    type: "string",
    value: "text|json",
    effect: "without a screen: print the answer, or each event as a line of JSON",
  },
  model: {
    type: "string",
    value: "NAME",
    effect: "model, such as gemini-2.5-pro, openai:NAME or offline; default: DT_MODEL",
  },
  agent: {
    type: "string",
    value: "AGENT",
    effect: "let another agent run the turns: gemini, claude, codex, opencode or a command line",
  },
  mode: { type: "string", value: "MODE", effect: `permission mode: ${CLI_MODES.join(", ")}` },
  yolo: { type: "boolean", effect: "run tools without asking; the same as --mode yolo" },
  trust: {
    type: "boolean",
    effect: "use this directory's settings, commands, MCP servers and extensions, now and later",
  },
  resume: {
    type: "boolean",
    short: "r",
    value: "[ID]",
    effect: "resume the session whose id begins with ID, or the last one of this directory",
  },
  "list-sessions": { type: "boolean", effect: "list the sessions that can be resumed" },
  "delete-session": { type: "string", value: "ID", effect: "delete a session and its files" },
  "a2a-port": {
    type: "string",
    value: "PORT",
    effect: "let other clients join this session on a port; 0 picks a free one",
  },
  host: {
    type: "string",
    value: "HOST",
    effect: "address on which --a2a-port and --share listen; default: DT_HOST, else 127.0.0.1",
  },
  share: {
    type: "boolean",
    effect: "show a link and a QR code to pair a device; listen on --a2a-port, else on a free port",
  },
  "share-role": {
    type: "string",
    value: "ROLE",
    effect: "role of that device: observe, prompt, approve (default) or admin",
  },
  "insecure-http": {
    type: "boolean",
    effect: "allow http without encryption beyond this machine",
  },
  setup: { type: "boolean", effect: "with dt acp: choose a model and its key in this terminal" },
  attach: {
    type: "string",
    value: "URL",
    effect: "with dt acp: use the sessions of another dt or of dt-server",
  },
  record: {
    type: "string",
    value: "FILE",
    effect: "write every event to a new file as JSON lines",
  },
  debug: { type: "boolean", effect: "write a log and print its path" },
  "no-color": { type: "boolean", effect: "use no colours; NO_COLOR does the same" },
  help: { type: "boolean", short: "h", effect: "print this help" },
  version: { type: "boolean", effect: "print the version" },
} as const;

/** The forms of the command line, each with its effect. */
export const CLI_COMMANDS: readonly (readonly [usage: string, effect: string])[] = [
  ["dt", "open the screen in the current directory"],
  ["dt -p PROMPT", "run one prompt without a screen"],
  ["command | dt -p PROMPT", "the same, with the piped input appended to the prompt"],
  ["command | dt", "run the piped input as one prompt"],
  ["dt attach [URL [TASK]]", "open the screen on a session of another dt or of dt-server"],
  ["dt acp", "serve an editor that speaks the Agent Client Protocol, on standard input and output"],
  ["dt acp --agent AGENT", "the same, but another agent runs the turns"],
  [
    "dt acp --attach URL [SESSION]",
    "the same, but the sessions are those of another dt or dt-server",
  ],
];

/** The exit codes, each with its meaning. */
export const CLI_EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "the prompt succeeded, or you closed the screen"],
  [1, "the prompt failed, or a question was not answered"],
  [2, "the command line, a variable or a setting is wrong; one line says which"],
  [129, "the terminal was closed (SIGHUP)"],
  [130, "ended by Ctrl-C or SIGINT; without a screen, by any signal"],
  [143, "ended by SIGTERM"],
];
