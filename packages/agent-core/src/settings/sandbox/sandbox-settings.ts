/** Program that isolates commands; `none` runs them without isolation. */
export type SandboxProgram = "none" | "bwrap";

/** The sandbox of commands and of the programs of MCP servers. */
export interface SandboxSettings {
  readonly program?: SandboxProgram;
  readonly network?: "on" | "off";
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
}

const PATHS = { type: "array", items: { type: "string", minLength: 1 }, default: [] } as const;

/** JSON Schema of {@link SandboxSettings}. */
export const SANDBOX_SCHEMA = {
  type: "object",
  description:
    "The sandbox of shell commands and of the programs of MCP servers. The settings of a workspace cannot set it.",
  properties: {
    program: {
      enum: ["none", "bwrap"],
      default: "none",
      description:
        "With bwrap, commands run under bubblewrap: they can write only the workspace, do not see the home directory or other processes, and have no network.",
    },
    network: {
      enum: ["on", "off"],
      default: "off",
      description: "With on, commands in the sandbox can use the network.",
    },
    readable: {
      ...PATHS,
      description:
        "Hidden files and directories that commands in the sandbox can read, for example ~/.gitconfig.",
    },
    writable: {
      ...PATHS,
      description:
        "Further files and directories that commands in the sandbox can write, for example ~/.cache. A relative path starts at the workspace.",
    },
  } satisfies Record<keyof SandboxSettings, object>,
  additionalProperties: false,
} as const;
