import { settingsReference } from "@dt/agent-core";
import { SERVER_COMMANDS, SERVER_EXIT_CODES, SERVER_OPTIONS } from "./options.js";
import { SERVER_VARIABLES } from "./variables/variables.js";

/** Documentation of dt-server, for the scripts that write docs/cli.md and docs/guides/settings.md. */
export const SERVER_REFERENCE = {
  commands: SERVER_COMMANDS,
  options: SERVER_OPTIONS,
  exitCodes: SERVER_EXIT_CODES,
  variables: SERVER_VARIABLES,
  settings: settingsReference(),
};
