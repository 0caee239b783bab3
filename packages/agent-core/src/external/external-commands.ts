import type { ExternalChoice, ExternalOffer } from "@dt/schema";
import { type Command, CommandError } from "../commands/command.js";

/**
 * Joins the session's own commands with those of an external agent. A command of the agent sends a prompt
 * that begins with the command's name. The session's commands win if a name exists twice.
 */
export function toExternalCommands(
  own: readonly Command[],
  offer: ExternalOffer | undefined,
): readonly Command[] {
  const taken = new Set(own.map(({ name }) => name));
  const theirs = (offer?.commands ?? [])
    .filter(({ name }) => !taken.has(name))
    .map(
      ({ name, description, hint }): Command => ({
        name,
        description,
        ...(hint !== undefined && {
          arguments: [{ name: "input", description: hint, isRequired: false }],
        }),
        async run({ args }) {
          const text = args === "" ? `/${name}` : `/${name} ${args}`;
          return { type: "done", prompt: [{ type: "text", text }] };
        },
      }),
    );
  return [...own, ...theirs];
}

/** Commands that concern our own model, tools and context files, which an external agent does not use. */
const MODEL_COMMANDS = new Set([
  "compress",
  "extensions",
  "init",
  "list-extensions",
  "mcp",
  "memory",
  "model",
  "tools",
]);

/** Returns the commands that make sense for a session whose turns an external agent runs. */
export function withoutModelCommands(commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ name }) => !MODEL_COMMANDS.has(name));
}

/** The open session of an external agent, for its commands. */
export interface ChoiceSource {
  offer(): ExternalOffer | undefined;
  selectMode(modeId: string): Promise<void>;
  selectModel(modelId: string): Promise<void>;
}

/** Creates `/model` and `/agent-mode`, which show and choose the agent's own models and modes. */
export function createChoiceCommands(agentName: string, source: ChoiceSource): readonly Command[] {
  return [
    createChoiceCommand({
      name: "model",
      noun: "model",
      agentName,
      choices: () => source.offer()?.models ?? [],
      current: () => source.offer()?.modelId,
      select: source.selectModel,
    }),
    createChoiceCommand({
      name: "agent-mode",
      noun: "mode",
      agentName,
      choices: () => source.offer()?.modes ?? [],
      current: () => source.offer()?.modeId,
      select: source.selectMode,
    }),
  ];
}

interface ChoiceCommandOptions {
  readonly name: string;
  readonly noun: string;
  readonly agentName: string;
  choices(): readonly ExternalChoice[];
  current(): string | undefined;
  select(id: string): Promise<void>;
}

function createChoiceCommand(options: ChoiceCommandOptions): Command {
  const { name, noun, agentName, choices, current, select } = options;
  return {
    name,
    description: `shows the ${noun}s of ${agentName}, or chooses one`,
    arguments: [{ name: "id", description: `the ${noun} to use from now on`, isRequired: false }],
    async run({ args }) {
      const id = args.trim();
      if (choices().length === 0) {
        throw new CommandError(
          `${agentName} has offered no ${noun}s; it starts with the first prompt`,
        );
      }
      if (id === "") return { type: "done", say: describeChoices(choices(), current()) };
      if (!choices().some((choice) => choice.id === id)) {
        throw new CommandError(`${agentName} has no ${noun} called ${id}; /${name} lists them`);
      }
      await select(id);
      return { type: "done", say: `the ${noun} of ${agentName} is now ${id}` };
    },
  };
}

/** Describes a list of choices for a person. */
function describeChoices(choices: readonly ExternalChoice[], current: string | undefined): string {
  return choices
    .map(({ id, name }) => `${id === current ? "*" : " "} ${id}${name === id ? "" : `: ${name}`}`)
    .join("\n");
}
