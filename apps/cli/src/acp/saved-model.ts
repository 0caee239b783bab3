import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { findJson, isObject, SetupError } from "@dt/schema";
import { dataPaths } from "../sessions/data-paths.js";
import type { UserEnvironment } from "../sessions/stored-sessions.js";

/** The model that the person chose with `dt acp --setup`, and its key. */
export interface SavedModel {
  readonly model: string;
  /**
   * Name of the environment variable that gets the key, unless the variable is already set; absent for a
   * model without a key.
   */
  readonly variable?: "GEMINI_API_KEY" | "OPENAI_API_KEY";
  readonly key?: string;
}

/** Returns the file of the saved model. Only its owner can read it. */
function savedModelFile({ environment, home }: UserEnvironment): string {
  return path.join(dataPaths(environment, home).root, "acp-model.json");
}

/**
 * Saves the model and its key. `dt acp` uses the model unless `DT_MODEL` is set, and the key unless the
 * environment has a key of its own.
 */
export async function saveModel(saved: SavedModel, user: UserEnvironment): Promise<void> {
  const file = savedModelFile(user);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.tmp`, `${JSON.stringify(saved)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

/**
 * Returns the environment variables with the saved model and its key added. Adds nothing if `DT_MODEL` is
 * set, and does not replace a key that is set.
 */
export async function withSavedModel(
  user: UserEnvironment,
): Promise<UserEnvironment["environment"]> {
  const { environment } = user;
  const saved = await findSavedModel(user);
  if (saved === undefined || environment.DT_MODEL) return environment;
  const { model, variable, key } = saved;
  const own = variable === undefined || environment[variable] ? {} : { [variable]: key };
  return { ...environment, DT_MODEL: model, ...own };
}

async function findSavedModel(user: UserEnvironment): Promise<SavedModel | undefined> {
  const file = savedModelFile(user);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const value = findJson(text);
  const { model, variable, key } = isObject(value) ? value : {};
  if (typeof model !== "string") {
    throw new SetupError(`${file} is damaged; run dt acp --setup again`);
  }
  if (typeof key !== "string") return { model };
  return variable === "GEMINI_API_KEY" || variable === "OPENAI_API_KEY"
    ? { model, variable, key }
    : { model };
}
