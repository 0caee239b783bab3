import { createModel, type ModelOptions } from "../model/create-model.js";
import type { Model } from "../model/model.js";
import type { ModelEnvironment } from "../model/model-variables.js";
import type { Settings } from "../settings/settings.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { createClientModel } from "./client-settings.js";

/** The model that a session starts with, and a function that creates others by their name. */
export interface AgentModels {
  readonly model: Model;
  createModel(name: string | undefined): Model;
}

/** Creates the model of a session. Throws if that model cannot be used, for example without its key. */
export function createAgentModels(
  { environment: own, needsModel, client, journal, modelKey }: AgentSessionOptions,
  settings: Settings,
): AgentModels {
  const environment = modelKey === undefined ? own : withModelKey(own, modelKey);
  const { contextTokens, modelSilenceMs, thinking } = settings;
  const create = (name: string | undefined) =>
    getSharedModel({
      environment,
      ...(name !== undefined && { name }),
      ...(needsModel !== undefined && { isRequired: needsModel }),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(thinking !== undefined && { thinking }),
      ...(modelSilenceMs !== undefined && { silenceMs: modelSilenceMs }),
    });
  const name = settings.model ?? findChosenModel(journal);
  return { model: createClientModel(client, () => create(name)), createModel: create };
}

/** Uses the client's key for every vendor, because only the model's name says which vendor the key is for. */
function withModelKey(environment: ModelEnvironment, modelKey: string): ModelEnvironment {
  return {
    ...environment,
    GEMINI_API_KEY: modelKey,
    OPENAI_API_KEY: modelKey,
    // With this variable, Vertex AI would use the credentials of the machine.
    GOOGLE_GENAI_USE_VERTEXAI: undefined,
  };
}

/** Models by their options. Sessions can share a model, because it stores nothing about a session. */
const SHARED = new WeakMap<ModelEnvironment, Map<string, Model>>();
/**
 * Maximum number of shared models per environment. Clients choose the names, so the number must be bounded.
 */
const MAX_SHARED = 32;

/** Returns the model that sessions with the same options share, because a vendor's SDK uses much memory. */
function getSharedModel({ environment, ...choice }: ModelOptions): Model {
  const models = SHARED.get(environment) ?? new Map<string, Model>();
  SHARED.set(environment, models);
  const key = JSON.stringify(choice);
  const model = models.get(key) ?? createModel({ environment, ...choice });
  if (models.size < MAX_SHARED) models.set(key, model);
  return model;
}

/** Finds the model that `/model` chose before the session stopped. */
function findChosenModel(journal: AgentSessionOptions["journal"]): string | undefined {
  const name = journal?.findLast(({ type }) => type === "model-set")?.name;
  return typeof name === "string" ? name : undefined;
}
