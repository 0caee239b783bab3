import type { ServerPolicy } from "@dt/schema";
import { createBuiltinTools } from "../../tools/builtin/builtin-tools.js";
import { readNamedFile } from "../files/read-bounded.js";
import { parsePolicy } from "./parse-policy.js";

/**
 * Reads the policy of `DT_POLICY_FILE`. Throws `SettingsError`, which names the file and the key, if the file
 * is missing or has any fault. Read it once, at the start: later changes of the file have no effect.
 */
export async function loadPolicy(file: string): Promise<ServerPolicy> {
  const text = await readNamedFile("DT_POLICY_FILE", file);
  const tools = createBuiltinTools({ environment: {}, outputDirectory: "", memoryFile: "" });
  return await parsePolicy({ file, text, toolNames: tools.map(({ name }) => name) });
}
