import { CLI_COMMANDS, CLI_EXIT_CODES, CLI_OPTIONS } from "./options.js";
import { CLI_VARIABLES } from "./variables.js";

/** Documentation of dt, for the scripts that write docs/cli.md and docs/guides/settings.md. */
export const CLI_REFERENCE = {
  commands: CLI_COMMANDS,
  options: CLI_OPTIONS,
  exitCodes: CLI_EXIT_CODES,
  variables: CLI_VARIABLES,
};
