import type { PermissionMode } from "../../confirmation/permission-policy.js";
import { type Command, CommandError } from "../command.js";
import type { CommandServices } from "../command-services.js";

const modes: Readonly<Record<PermissionMode, string>> = {
  default: "edits, shell commands and MCP tools ask",
  "auto-edit": "edits inside the workspace do not ask, the rest does",
  yolo: "nothing asks",
  plan: "only reading is allowed",
};

/** Shows how freely the agent may act, or changes it. */
export function createModeCommand({
  startMode = "default",
}: Pick<CommandServices, "startMode">): Command {
  return {
    name: "mode",
    description: "shows how freely the agent may act, or changes it",
    arguments: [{ name: "mode", description: Object.keys(modes).join(", "), isRequired: false }],
    check: (args) => findFault(args.trim()),
    async run({ args, mode }) {
      const name = args.trim();
      if (name === "") {
        const all = Object.entries(modes).map(([mode, meaning]) => `  ${mode}: ${meaning}`);
        return {
          type: "done",
          say: [`the mode is ${mode ?? startMode}; there are`, ...all].join("\n"),
        };
      }
      if (!isMode(name)) throw new CommandError(findFault(name) ?? "");
      return {
        type: "done",
        say: `the mode of your prompts is now ${name}: ${modes[name]}`,
        effect: { type: "set-mode", mode: name },
      };
    },
  };
}

function findFault(name: string): string | undefined {
  if (name === "" || isMode(name)) return undefined;
  return `there is no mode called ${name}; there are ${Object.keys(modes).join(", ")}`;
}

function isMode(name: string): name is PermissionMode {
  return Object.hasOwn(modes, name);
}
