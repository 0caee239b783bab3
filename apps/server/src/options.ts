/** The options of dt-server: for the parser, `--help` and docs/cli.md. */
export const SERVER_OPTIONS = {
  debug: { type: "boolean", effect: "log at the level debug, as JSON lines on stderr" },
  help: { type: "boolean", short: "h", effect: "print this help" },
  version: { type: "boolean", effect: "print the version" },
} as const;

/** The forms of the command line, with their effect. */
export const SERVER_COMMANDS: readonly (readonly [usage: string, effect: string])[] = [
  ["dt-server", "serve clients until SIGTERM or Ctrl-C"],
  ["dt-server trust DIR", "use the settings, commands, MCP servers and extensions of a workspace"],
  ["dt-server trust list", "list the trusted workspaces"],
  ["dt-server trust revoke DIR", "stop trusting a workspace"],
];

/** The exit codes, with their meaning. */
export const SERVER_EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "it was stopped"],
  [1, "it failed, or was stopped by a second signal"],
  [2, "the command line, a variable or a setting is wrong; one line says which"],
];

const OPTION_LINES = Object.entries(SERVER_OPTIONS).map(([name, option]) => {
  const short = "short" in option ? `-${option.short}, ` : "    ";
  return `  ${short}--${name}`.padEnd(20) + option.effect;
});

/** Text of `dt-server --help`. */
export const SERVER_USAGE = `dt-server: the coding agent as a service

${SERVER_COMMANDS.map(([usage, effect]) => `  ${usage}`.padEnd(32) + effect).join("\n")}

${OPTION_LINES.join("\n")}

Environment variables set the port, the data directory, the model and more:
see docs/guides/settings.md.

Exit codes:
${SERVER_EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}`;
