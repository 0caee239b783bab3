import { MODEL_KEYS } from "@dt/agent-core";
import { readKeyFiles, type SecretKeyOptions } from "@dt/server";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with the keys that were read from files, and without the keys that only dt itself uses. */
export interface ReadSecrets {
  readonly environment: Environment;
  /** Keys that encrypt secrets of clients; undefined to keep such secrets in memory. */
  readonly secretKeys: SecretKeyOptions | undefined;
}

/** Reads the keys in the environment and in files. Throws `SetupError` if a file cannot be used. */
export async function readSecrets(given: Environment): Promise<ReadSecrets> {
  const names = [...MODEL_KEYS, "DT_SECRET_KEY", "DT_PREVIOUS_SECRET_KEY"];
  const {
    DT_SECRET_KEY: key,
    DT_PREVIOUS_SECRET_KEY: previousKey,
    ...environment
  } = await readKeyFiles(given, names);
  return {
    environment,
    secretKeys: key ? { key, previousKey: previousKey || undefined } : undefined,
  };
}
