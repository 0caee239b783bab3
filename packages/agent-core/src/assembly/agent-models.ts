import { describeModelRefusal, isModelAllowed } from "@dt/schema";
import { createModel, type ModelOptions } from "../model/create-model.js";
import { type Model, ModelError } from "../model/model.js";
import type { ModelEnvironment } from "../model/model-variables.js";
import type { Settings } from "../settings/settings.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { createClientModel } from "./client-settings.js";

/** The model that a session starts with, and a function that creates a model by its name. */
export interface AgentModels {
  readonly model: Model;
  createModel(name: string | undefined): Model;
  /** Returns false for a model that the policy forbids. */
  isAllowed(name: string): boolean;
}

/** Placeholder for the model if an external agent runs the turns. The session never sends it a request. */
const UNUSED_MODEL: Model = {
  name: "external",
  stream() {
    throw new Error("an external agent runs the turns of this session");
  },
};

/** Creates the model of a session. Throws if the model cannot be used, for example if its key is missing. */
export function createAgentModels(options: AgentSessionOptions, settings: Settings): AgentModels {
  const { environment: own, needsModel, client, journal, modelKey, policy = {} } = options;
  const isAllowed = (name: string) => isModelAllowed(policy, name);
  if (options.externalAgent !== undefined) {
    return { model: UNUSED_MODEL, createModel: () => UNUSED_MODEL, isAllowed: () => true };
  }
  const environment = modelKey === undefined ? own : withModelKey(own, modelKey);
  const { contextTokens, modelSilenceMs, thinking } = settings;
  const create = (name: string | undefined) => {
    const model = getSharedModel({
      environment,
      ...(name !== undefined && { name }),
      ...(needsModel !== undefined && { isRequired: needsModel }),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(thinking !== undefined && { thinking }),
      ...(modelSilenceMs !== undefined && { silenceMs: modelSilenceMs }),
    });
    // The policy judges `model.name`, because `name` is undefined if a variable or the default decides.
    if (isAllowed(model.name)) return model;
    throw new ModelError(describeModelRefusal(policy, model.name));
  };
  const chosen = findChosenModel(journal);
  const name = settings.model ?? (chosen !== undefined && isAllowed(chosen) ? chosen : undefined);
  return { model: createClientModel(client, () => create(name)), createModel: create, isAllowed };
}

/** Sets the client's key for every vendor, because the key does not show which vendor it belongs to. */
function withModelKey(environment: ModelEnvironment, modelKey: string): ModelEnvironment {
  return {
    ...environment,
    GEMINI_API_KEY: modelKey,
    OPENAI_API_KEY: modelKey,
    // The variable is removed, because Vertex AI would ignore the client's key.
    GOOGLE_GENAI_USE_VERTEXAI: undefined,
  };
}

/** Models that sessions share, by environment and by the other options. A model keeps no data of a session. */
const SHARED = new WeakMap<ModelEnvironment, Map<string, Model>>();
/** Maximum number of shared models per environment. It is limited, because clients can name any number of models. */
const MAX_SHARED = 32;

/** Returns one model for all sessions with the same options, because a vendor's SDK uses much memory. */
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
