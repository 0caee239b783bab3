import { CLI_COMMANDS, CLI_EXIT_CODES, CLI_OPTIONS } from "./options.js";

/** Width of the column with the forms and options. */
const USAGE_WIDTH = 33;

const OPTION_LINES = Object.entries(CLI_OPTIONS).map(([name, option]) => {
  const short = "short" in option ? `-${option.short}, ` : "    ";
  const value = "value" in option ? ` ${option.value}` : "";
  return `  ${short}--${name}${value}`.padEnd(USAGE_WIDTH) + option.effect;
});

/** Text of `dt --help`. */
export const CLI_USAGE = `dt: a coding agent in your terminal

${CLI_COMMANDS.map(([usage, effect]) => `  ${usage}`.padEnd(USAGE_WIDTH) + effect).join("\n")}

${OPTION_LINES.join("\n")}

Keys: Enter sends. Esc cancels the turn. Ctrl-C cancels the turn, then clears the prompt, then leaves.
Shift-Tab changes the mode. Ctrl-O shows the whole history. / lists commands. @ lists files.

Exit codes:
${CLI_EXIT_CODES.map(([code, meaning]) => `  ${code}`.padEnd(7) + meaning).join("\n")}`;
