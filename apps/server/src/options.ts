/** The options of dt-server. The parser, `--help` and docs/cli.md use this table. */
export const SERVER_OPTIONS = {
  user: { type: "string", value: "USER", effect: "user of a new token" },
  name: { type: "string", value: "DEVICE", effect: "name of the device that gets a new token" },
  role: {
    type: "string",
    value: "ROLE",
    effect: "role of a new token: observe, prompt, approve or admin",
  },
  tier: { type: "string", value: "TIER", effect: "tier of the user, shown in events" },
  expires: {
    type: "string",
    value: "TIME",
    effect: "time after which a new token ends: 90m, 12h, 30d",
  },
  from: { type: "string", value: "USER", effect: "user who gives sessions away" },
  to: { type: "string", value: "USER", effect: "user who gets sessions" },
  since: { type: "string", value: "TIME", effect: "start of the export: 7d, 12h, 2026-01-31" },
  replace: { type: "boolean", effect: "delete the content of the store before a restore" },
  debug: { type: "boolean", effect: "log at the level debug, as JSON lines on stderr" },
  help: { type: "boolean", short: "h", effect: "print this help" },
  version: { type: "boolean", effect: "print the version" },
} as const;

/** The forms of the command line, each with its effect. */
export const SERVER_COMMANDS: readonly (readonly [usage: string, effect: string])[] = [
  ["dt-server", "serve clients until SIGTERM or Ctrl-C"],
  [
    "dt-server token create --user USER --name DEVICE --role ROLE [--expires 30d] [--tier TIER]",
    "create a token, and print it once",
  ],
  ["dt-server token list", "list the tokens with their last use"],
  ["dt-server token revoke USER/DEVICE", "end a token and its streams"],
  [
    "dt-server sessions give --from USER --to USER",
    "give the sessions of one user to another, for example those of `local`",
  ],
  [
    "dt-server audit --since TIME",
    "print who was let in or refused, and who prompted, answered or shared, as JSON lines",
  ],
  ["dt-server migrate", "bring the store to the version of this dt, and exit"],
  ["dt-server backup FILE", "write everything in the store to a file, even while servers run"],
  ["dt-server restore FILE [--replace]", "read a backup into an empty store, even of another kind"],
  ["dt-server export TASK", "print a task and its events as JSON"],
  ["dt-server trust DIR", "use the settings, commands, MCP servers and extensions of a workspace"],
  ["dt-server trust list", "list the trusted workspaces"],
  ["dt-server trust revoke DIR", "stop trusting a workspace"],
];

/** The exit codes, each with its meaning. */
export const SERVER_EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "the server was stopped, or another command succeeded"],
  [1, "the server failed, or a second signal stopped it"],
  [2, "the command line, a variable or a setting is wrong; one line says which"],
];

const OPTION_LINES = Object.entries(SERVER_OPTIONS).map(([name, option]) => {
  const short = "short" in option ? `-${option.short}, ` : "    ";
  const value = "value" in option ? ` ${option.value}` : "";
  return `  ${short}--${name}${value}`.padEnd(24) + option.effect;
});

// The effect of a long command is on a line of its own.
function formatCommand([usage, effect]: readonly [string, string]): string {
  const isLong = usage.length > 40;
  return isLong ? `  ${usage}\n${" ".repeat(44)}${effect}` : `  ${usage}`.padEnd(44) + effect;
}

/** Text of `dt-server --help`. */
export const SERVER_USAGE = `dt-server: the coding agent as a service

${SERVER_COMMANDS.map(formatCommand).join("\n")}

${OPTION_LINES.join("\n")}

Environment variables set the port, the data directory, the model and more:
see docs/guides/settings.md.

Exit codes:
${SERVER_EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}`;
