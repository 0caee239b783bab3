import { includesRole, type PermissionMode, type Role } from "@dt/schema";
import type { NumberedAnswer } from "../../../confirmation/remembered-answers.js";
import { type Command, type CommandCaller, CommandError } from "../../command.js";
import { NO_CREDENTIAL_REASON } from "../../no-credential.js";
import { describeAnswer } from "./permissions.js";

const MODES: Readonly<Record<PermissionMode, string>> = {
  default: "edits, shell commands and MCP tools ask",
  "auto-edit": "edits inside the workspace do not ask, all other changes do",
  yolo: "nothing asks",
  plan: "only reading is allowed",
};

/** `/mode`: shows the permission mode of the caller's prompts, or sets it until their credential ends. */
export const modeCommand: Command = {
  name: "mode",
  description: "shows the permission mode, or changes it",
  arguments: [{ name: "mode", description: Object.keys(MODES).join(", "), isRequired: false }],
  check(args, { credential, role }) {
    const name = args.trim();
    const fault = findFault(name) ?? findRoleFault(name, role);
    if (fault !== undefined || name === "") return fault;
    return credential === undefined ? NO_CREDENTIAL_REASON : undefined;
  },
  // A change applies to the next tool call, even in the running turn, so the command does not wait.
  runsConcurrently: () => true,
  async run({ args, mode, state, caller }) {
    const name = args.trim();
    if (name === "") {
      const all = Object.entries(MODES).map(([mode, meaning]) => `  ${mode}: ${meaning}`);
      return {
        type: "done",
        say: [`the mode is ${mode}; the modes are`, ...all].join("\n"),
      };
    }
    if (!isMode(name)) throw new CommandError(findFault(name) ?? "");
    return {
      type: "done",
      say: [
        `the mode of your prompts is now ${name}: ${MODES[name]}`,
        ...(name === "default" ? describeRemembered(state.remembered, caller) : []),
      ].join("\n"),
      effect: { type: "set-mode", mode: name },
    };
  },
};

/** Lists the caller's "always" answers, because calls that the answers allow do not ask in default mode. */
function describeRemembered(
  remembered: readonly NumberedAnswer[],
  { user }: CommandCaller,
): readonly string[] {
  const own = remembered.filter((answer) => answer.principal === user);
  if (own.length === 0) return [];
  return ["these answers still apply; /permissions remove deletes one", ...own.map(describeAnswer)];
}

function findFault(name: string): string | undefined {
  if (name === "" || isMode(name)) return undefined;
  return `there is no mode called ${name}; the modes are ${Object.keys(MODES).join(", ")}`;
}

/** Modes that run some changes without a question. Setting such a mode approves these changes in advance. */
const FREER_MODES = ["auto-edit", "yolo"];

function findRoleFault(name: string, role: Role | undefined): string | undefined {
  if (role === undefined || !FREER_MODES.includes(name) || includesRole(role, "approve"))
    return undefined;
  return `the mode ${name} needs the role approve, and yours is ${role}`;
}

function isMode(name: string): name is PermissionMode {
  return Object.hasOwn(MODES, name);
}
