import { EXTENSION_SWITCH_TOOL_NAME } from "../../extensions/extension-switch-tool.js";
import {
  type Command,
  type CommandCaller,
  CommandError,
  type CommandInvocation,
  type CommandOutcome,
} from "../command.js";
import type { CommandServices } from "../command-services.js";
import { listExtensions } from "../list-extensions.js";
import { askToChange } from "./ask-to-change.js";

/** Creates `/list-extensions`, which shows the extensions in the JSON format of the server reference. */
export function createListExtensionsCommand({
  extensions,
}: Pick<CommandServices, "extensions">): Command {
  return {
    name: "list-extensions",
    description: "lists extensions as JSON",
    runsConcurrently: () => true,
    async run() {
      if (extensions === undefined) throw new CommandError("this session has no extensions");
      const reply = listExtensions(await extensions.list());
      return { type: "done", say: JSON.stringify(reply, null, 2) };
    },
  };
}

/** Creates `/extensions`, which lists extensions and switches them on and off. */
export function createExtensionsCommand({
  extensions,
}: Pick<CommandServices, "extensions">): Command {
  const nameArgument = { name: "name", description: "the name of the extension", isRequired: true };

  const asksFirst = (_args: string, { isHost }: CommandCaller) => !isHost;

  async function list() {
    if (extensions === undefined) throw new CommandError("this session has no extensions");
    return await extensions.list();
  }

  async function change(
    { args, caller }: CommandInvocation,
    verb: "enable" | "disable",
  ): Promise<CommandOutcome> {
    const name = args.trim();
    const known = (await list()).map((extension) => extension.name);
    if (!known.includes(name)) {
      const names =
        known.length === 0 ? "none is installed" : `known extensions: ${known.join(", ")}`;
      throw new CommandError(`there is no extension called ${name}; ${names}`);
    }
    const done = { type: "done", say: `${name} is ${verb}d from the next session on` } as const;
    if (!caller.isHost) {
      const call = { toolName: EXTENSION_SWITCH_TOOL_NAME, input: { name, change: verb } };
      return askToChange(call, async () => done);
    }
    await extensions?.[verb](name);
    return done;
  }

  return {
    name: "extensions",
    description: "lists extensions and switches them on and off",
    subCommands: [
      {
        name: "list",
        description: "lists extensions with their versions",
        runsConcurrently: () => true,
        run: async () => {
          const lines = (await list()).map(
            ({ name, version, isEnabled }) =>
              `${name} ${version}: ${isEnabled ? "enabled" : "disabled"}`,
          );
          return { type: "done", say: lines.join("\n") || "there are no extensions" };
        },
      },
      {
        name: "enable",
        description: "switches an extension on",
        arguments: [nameArgument],
        asksFirst,
        run: (invocation) => change(invocation, "enable"),
      },
      {
        name: "disable",
        description: "switches an extension off",
        arguments: [nameArgument],
        asksFirst,
        run: (invocation) => change(invocation, "disable"),
      },
    ],
  };
}
