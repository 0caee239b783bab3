import type { Tool } from "../../tool.js";

/** Timeout of a command whose call names none. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** Longest timeout of a command. The pacing of live output relies on this limit. */
const LONGEST_TIMEOUT_MS = 3_600_000;

/** The part of the shell tool that the model reads. */
export const SHELL_DECLARATION = {
  name: "run_shell_command",
  description: [
    "Runs a command with bash (sh where there is no bash) and returns what it printed on stdout and stderr, in order, and its exit code; an exit code other than 0 is not an error of the tool.",
    "There is no terminal and no input: pass flags such as --yes instead of answering questions.",
    "The command must run in the foreground and end by itself: whatever it leaves running is ended, and the call fails. Variables and the directory do not carry over to the next call.",
    "Of long output the beginning and the end are returned, and the name of a file with all of it.",
  ].join(" "),
  isReadOnly: false,
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line." },
      description: {
        type: "string",
        description: "What the command is for, in one short sentence for the person.",
      },
      directory: {
        type: "string",
        description:
          "Where to run it, absolute or relative to the workspace. Default: the root of the workspace.",
      },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: LONGEST_TIMEOUT_MS,
        description: `How long it may run, in milliseconds. Default ${DEFAULT_TIMEOUT_MS}, at most ${LONGEST_TIMEOUT_MS}.`,
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
} as const satisfies Pick<Tool, "name" | "description" | "isReadOnly" | "parameters">;
