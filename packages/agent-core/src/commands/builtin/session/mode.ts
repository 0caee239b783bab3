import type { PermissionMode } from "@dt/schema";
import type { NumberedAnswer } from "../../../confirmation/remembered-answers.js";
import { type Command, type CommandCaller, CommandError } from "../../command.js";
import { noCredential } from "../../no-credential.js";
import { describeAnswer } from "./permissions.js";

const modes: Readonly<Record<PermissionMode, string>> = {
  default: "edits, shell commands and MCP tools ask",
  "auto-edit": "edits inside the workspace do not ask, the rest does",
  yolo: "nothing asks",
  plan: "only reading is allowed",
};

/** Shows how freely the caller's prompts may act, or changes it while the caller's credential lasts. */
export const modeCommand: Command = {
  name: "mode",
  description: "shows how freely the agent may act, or changes it",
  arguments: [{ name: "mode", description: Object.keys(modes).join(", "), isRequired: false }],
  check(args, { credential }) {
    const fault = findFault(args.trim());
    if (fault !== undefined || args.trim() === "") return fault;
    return credential === undefined ? noCredential : undefined;
  },
  // A change holds for the caller's prompts from the next step on, the running one included.
  runsConcurrently: () => true,
  async run({ args, mode, state, caller }) {
    const name = args.trim();
    if (name === "") {
      const all = Object.entries(modes).map(([mode, meaning]) => `  ${mode}: ${meaning}`);
      return {
        type: "done",
        say: [`the mode is ${mode}; there are`, ...all].join("\n"),
      };
    }
    if (!isMode(name)) throw new CommandError(findFault(name) ?? "");
    return {
      type: "done",
      say: [
        `the mode of your prompts is now ${name}: ${modes[name]}`,
        ...(name === "default" ? stillHolding(state.remembered, caller) : []),
      ].join("\n"),
      effect: { type: "set-mode", mode: name },
    };
  },
};

/** An "always" outlives a freer mode: whoever goes back to asking is told what still does not ask. */
function stillHolding(
  remembered: readonly NumberedAnswer[],
  { user }: CommandCaller,
): readonly string[] {
  const own = remembered.filter((answer) => answer.principal === user);
  if (own.length === 0) return [];
  return [
    "these answers still hold; /permissions remove takes one back",
    ...own.map(describeAnswer),
  ];
}

function findFault(name: string): string | undefined {
  if (name === "" || isMode(name)) return undefined;
  return `there is no mode called ${name}; there are ${Object.keys(modes).join(", ")}`;
}

function isMode(name: string): name is PermissionMode {
  return Object.hasOwn(modes, name);
}
