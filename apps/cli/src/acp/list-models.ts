import type { UserEnvironment } from "../sessions/stored-sessions.js";

/** Gemini models that are offered if the environment gives access to Gemini. */
const GEMINI_MODELS = ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"];

/** Lists the models that an editor offers to the person. `/model` accepts any other model too. */
export function listModels({
  environment,
  model,
}: Pick<UserEnvironment, "environment"> & {
  readonly model: string | undefined;
}): readonly string[] {
  const { DT_MODEL, GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI } = environment;
  const hasGemini = Boolean(GEMINI_API_KEY) || GOOGLE_GENAI_USE_VERTEXAI?.toLowerCase() === "true";
  const named = [model, DT_MODEL].filter((name) => name !== undefined && name !== "");
  return [...new Set([...named, ...(hasGemini ? GEMINI_MODELS : []), "offline"])] as string[];
}
