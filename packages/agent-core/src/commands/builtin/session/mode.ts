import { includesRole, type PermissionMode, type Role } from "@dt/schema";
import { isFreerMode } from "../../../confirmation/freer-mode.js";
import type { NumberedAnswer } from "../../../confirmation/remembered-answers.js";
import { type Command, type CommandCaller, CommandError } from "../../command.js";
import type { CommandServices } from "../../command-services.js";
import { NO_CREDENTIAL_REASON } from "../../no-credential.js";
import { describeAnswer } from "./permissions.js";

const MODES: Readonly<Record<PermissionMode, string>> = {
  default: "edits, shell commands and MCP tools ask",
  "auto-edit": "edits inside the workspace do not ask, all other changes do",
  yolo: "nothing asks",
  plan: "only reading is allowed",
};

/**
 * Creates `/mode`, which shows the mode of the caller's prompts, or sets it until the caller's credential
 * ends.
 */
export function createModeCommand({ policy = {} }: CommandServices): Command {
  const { maxMode = "yolo" } = policy;
  const isForbidden = (mode: PermissionMode) => isFreerMode(mode, maxMode);
  return {
    name: "mode",
    description: "shows the permission mode, or changes it",
    arguments: [{ name: "mode", description: Object.keys(MODES).join(", "), isRequired: false }],
    check(args, { credential, role }) {
      const name = args.trim();
      const fault = findFault(name) ?? findRoleFault(name, role);
      if (fault !== undefined || name === "") return fault;
      if (isMode(name) && isForbidden(name)) return describeForbidden(name, maxMode);
      return credential === undefined ? NO_CREDENTIAL_REASON : undefined;
    },
    // A change applies to the next tool call, even in the running turn, so the command does not wait.
    runsConcurrently: () => true,
    async run({ args, mode, state, caller }) {
      const name = args.trim();
      if (name === "") {
        return { type: "done", say: listModes(mode, isForbidden) };
      }
      if (!isMode(name)) throw new CommandError(findFault(name) ?? "");
      if (isForbidden(name)) throw new CommandError(describeForbidden(name, maxMode));
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
}

function listModes(
  current: PermissionMode,
  isForbidden: (mode: PermissionMode) => boolean,
): string {
  const modes = (Object.keys(MODES) as PermissionMode[]).map(
    (mode) => `  ${mode}: ${isForbidden(mode) ? FORBIDDEN : MODES[mode]}`,
  );
  return [`the mode is ${current}; the modes are`, ...modes].join("\n");
}

const FORBIDDEN = "not allowed by the policy of this server";

function describeForbidden(mode: PermissionMode, maxMode: PermissionMode): string {
  return `the policy of this server does not allow the mode ${mode}; the freest mode is ${maxMode}`;
}

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
