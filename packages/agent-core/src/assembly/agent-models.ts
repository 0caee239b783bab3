import { createModel } from "../model/create-model.js";
import type { Model } from "../model/model.js";
import type { Settings } from "../settings/settings.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { createClientModel } from "./client-settings.js";

/** The model that a session starts with, and a function that creates others by their name. */
export interface AgentModels {
  readonly model: Model;
  createModel(name: string | undefined): Model;
}

/** Creates the model of a session; throws if its key is missing. */
export function createAgentModels(
  { environment, needsModel, client, journal }: AgentSessionOptions,
  settings: Settings,
): AgentModels {
  const { contextTokens, modelSilenceMs } = settings;
  const create = (name: string | undefined) =>
    createModel({
      environment,
      ...(name !== undefined && { name }),
      ...(needsModel !== undefined && { isRequired: needsModel }),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(modelSilenceMs !== undefined && { silenceMs: modelSilenceMs }),
    });
  const name = settings.model ?? findChosenModel(journal);
  return { model: createClientModel(client, () => create(name)), createModel: create };
}

/** The model that a session chose with `/model` before it stopped. */
function findChosenModel(journal: AgentSessionOptions["journal"]): string | undefined {
  const name = journal?.findLast(({ type }) => type === "model-set")?.name;
  return typeof name === "string" ? name : undefined;
}
