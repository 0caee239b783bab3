import type {
  AvailableCommand,
  SessionConfigOption,
  SessionMode,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import type { FaceStatus, PermissionMode, SlashCommand } from "@dt/schema";

const MODES: readonly (SessionMode & { readonly id: PermissionMode })[] = [
  { id: "default", name: "Ask", description: "Edits, shell commands and MCP tools ask" },
  { id: "auto-edit", name: "Auto-edit", description: "Edits inside the workspace do not ask" },
  { id: "plan", name: "Plan", description: "Only reading is allowed" },
  { id: "yolo", name: "Yolo", description: "Nothing asks" },
];

/** Ids of the options that an editor can set. */
export const CONFIG_IDS = { mode: "mode", model: "model" } as const;

/** Returns true for the id of a permission mode. */
export function isModeId(id: string): boolean {
  return MODES.some((mode) => mode.id === id);
}

/** Encodes the modes. Returns undefined if the session does not say which mode it has. */
export function encodeModes({ mode }: Pick<FaceStatus, "mode">): SessionModeState | undefined {
  return mode === undefined ? undefined : { currentModeId: mode, availableModes: [...MODES] };
}

/** Encodes the options of a session. `models` are the names that the person may choose from. */
export function encodeConfigOptions(
  { mode, model }: Pick<FaceStatus, "mode" | "model">,
  models: readonly string[],
): SessionConfigOption[] {
  const names = [...new Set([...models, model])].filter((name) => name !== "");
  const options: SessionConfigOption[] = [];
  if (mode !== undefined) {
    options.push({
      type: "select",
      id: CONFIG_IDS.mode,
      name: "Permission mode",
      category: "mode",
      currentValue: mode,
      options: MODES.map(({ id, name, description }) => ({
        value: id,
        name,
        description: description ?? null,
      })),
    });
  }
  if (model !== "") {
    options.push({
      type: "select",
      id: CONFIG_IDS.model,
      name: "Model",
      category: "model",
      currentValue: model,
      options: names.map((name) => ({ value: name, name })),
    });
  }
  return options;
}

/** Encodes the slash commands. The hint of a command lists its arguments and its sub-commands. */
export function encodeCommands(commands: readonly SlashCommand[]): AvailableCommand[] {
  return commands.map((command) => {
    const hint = hintOf(command);
    const { name, description } = command;
    return { name, description, ...(hint !== "" && { input: { hint } }) };
  });
}

function hintOf({ arguments: args, subCommands }: SlashCommand): string {
  const own = args.map(({ name, isRequired }) => (isRequired ? name : `[${name}]`)).join(" ");
  const others = subCommands.map((each) => [each.name, hintOf(each)].filter(Boolean).join(" "));
  return [own, ...others].filter((part) => part !== "").join(" | ");
}

/** A slash command that a prompt names. */
export interface NamedCommand {
  readonly path: readonly string[];
  readonly args: string;
}

/** Finds the slash command that a prompt begins with. Returns undefined for any other prompt. */
export function findNamedCommand(
  text: string,
  commands: readonly SlashCommand[],
): NamedCommand | undefined {
  const [, typed, more = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  let found = commands.find(({ name }) => name === typed);
  if (found === undefined) return undefined;
  const path = [found.name];
  let args = more;
  while (found !== undefined) {
    const [, word, rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(args) ?? [];
    found = found.subCommands.find(({ name }) => name === word);
    if (found === undefined) break;
    path.push(found.name);
    args = rest;
  }
  return { path, args };
}
