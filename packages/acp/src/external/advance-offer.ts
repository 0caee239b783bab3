import type { ExternalChoice, ExternalCommand, ExternalOffer, JsonObject } from "@dt/schema";
import { objectIn, objectsIn, textIn } from "./read-json.js";

/** The models, modes and commands that an agent offers, and how a model and a mode are chosen. */
export interface AgentOffer extends ExternalOffer {
  /** Id of the session option that chooses the model; undefined if `session/set_model` chooses it. */
  readonly modelOption?: string;
  /** Id of the session option that chooses the mode; undefined if `session/set_mode` chooses it. */
  readonly modeOption?: string;
}

/** The offer of an agent that has said nothing yet. */
export const EMPTY_OFFER: AgentOffer = { models: [], modes: [], commands: [] };

const MAX_CHOICES = 500;
const MAX_COMMANDS = 500;
const MAX_LINE = 2_000;

/** Reads the offer in the response that opens a session. */
export function openOffer(response: unknown): AgentOffer {
  const options = objectsIn(response, "configOptions");
  return withOptions({ ...EMPTY_OFFER, ...modesOf(response), ...modelsOf(response) }, options);
}

/** Applies an update to the offer. Returns the same object if the update does not concern the offer. Pure. */
export function advanceAgentOffer(offer: AgentOffer, update: unknown): AgentOffer {
  switch (textIn(update, "sessionUpdate")) {
    case "available_commands_update":
      return { ...offer, commands: commandsOf(update) };
    case "current_mode_update": {
      const modeId = textIn(update, "currentModeId");
      return modeId === undefined || modeId === offer.modeId ? offer : { ...offer, modeId };
    }
    case "config_option_update":
      return withOptions(offer, objectsIn(update, "configOptions"));
    default:
      return offer;
  }
}

/** Returns a sentence about a mode that has changed; undefined if it has not. */
export function describeModeChange(before: AgentOffer, after: AgentOffer): string | undefined {
  if (after.modeId === undefined || after.modeId === before.modeId) return undefined;
  return `the agent's own mode is now ${after.modeId}`;
}

function modesOf(response: unknown): Partial<AgentOffer> {
  const modes = objectIn(response, "modes");
  const modeId = textIn(modes, "currentModeId");
  return {
    modes: choicesOf(objectsIn(modes, "availableModes"), "id"),
    ...(modeId !== undefined && { modeId }),
  };
}

function modelsOf(response: unknown): Partial<AgentOffer> {
  const models = objectIn(response, "models");
  const modelId = textIn(models, "currentModelId");
  return {
    models: choicesOf(objectsIn(models, "availableModels"), "modelId"),
    ...(modelId !== undefined && { modelId }),
  };
}

/** Reads the options of a session that choose a model or a mode. Other options are not offered. */
function withOptions(offer: AgentOffer, options: readonly JsonObject[]): AgentOffer {
  const model = options.find(({ category }) => category === "model");
  const mode = options.find(({ category }) => category === "mode");
  const modelOption = textIn(model, "id");
  const modelId = textIn(model, "currentValue");
  const modeOption = textIn(mode, "id");
  const modeId = textIn(mode, "currentValue");
  return {
    ...offer,
    ...(modelOption !== undefined && { modelOption, models: valuesOf(model) }),
    ...(modelId !== undefined && { modelId }),
    ...(modeOption !== undefined && { modeOption, modes: valuesOf(mode) }),
    ...(modeId !== undefined && { modeId }),
  };
}

/** Returns the values of an option. Its values may be in groups. */
function valuesOf(option: unknown): readonly ExternalChoice[] {
  const entries = objectsIn(option, "options");
  const grouped = entries.flatMap((entry) => objectsIn(entry, "options"));
  return choicesOf(grouped.length > 0 ? grouped : entries, "value");
}

function choicesOf(entries: readonly JsonObject[], idField: string): readonly ExternalChoice[] {
  return entries.slice(0, MAX_CHOICES).flatMap((entry) => {
    const id = textIn(entry, idField);
    return id === undefined ? [] : [{ id, name: (textIn(entry, "name") ?? id).slice(0, MAX_LINE) }];
  });
}

function commandsOf(update: unknown): readonly ExternalCommand[] {
  return objectsIn(update, "availableCommands")
    .slice(0, MAX_COMMANDS)
    .flatMap((entry): ExternalCommand[] => {
      const name = textIn(entry, "name");
      // A name with spaces or slashes could not be typed as a command.
      if (name === undefined || !/^[^\s/]{1,100}$/.test(name)) return [];
      const hint = textIn(objectIn(entry, "input"), "hint")?.slice(0, MAX_LINE);
      const description = (textIn(entry, "description") ?? "").slice(0, MAX_LINE);
      return [{ name, description, ...(hint !== undefined && { hint }) }];
    });
}
