import type { Tool } from "../../tool.js";

/** Timeout of a command whose call does not set `timeout_ms`. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** Longest timeout of a command. The pacing of live output relies on this limit. */
const MAX_TIMEOUT_MS = 3_600_000;

/** The fields of the shell tool that the model gets. */
export const SHELL_DECLARATION = {
  name: "run_shell_command",
  description: [
    "Runs a command with bash (or sh if there is no bash) and returns its output on stdout and stderr, in order, and its exit code; an exit code other than 0 is not an error of the tool.",
    "There is no terminal and no input, so pass flags such as --yes instead of answering questions.",
    "The command must run in the foreground and end by itself; processes that it leaves running are ended, and the call fails. Variables and the directory do not carry over to the next call.",
    "If the output is long, its beginning and its end are returned, with the name of a file that has all of it.",
  ].join(" "),
  isReadOnly: false,
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line." },
      description: {
        type: "string",
        description: "The purpose of the command, in one short sentence for the person.",
      },
      directory: {
        type: "string",
        description:
          "The working directory, absolute or relative to the workspace. Default: the root of the workspace.",
      },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: `Longest run time in milliseconds. Default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}.`,
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
} as const satisfies Pick<Tool, "name" | "description" | "isReadOnly" | "parameters">;
