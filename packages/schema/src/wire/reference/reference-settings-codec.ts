import type { AgentSettings } from "../../gen/development_tool/settings.js";
import {
  compact,
  findBoolean,
  findObject,
  findString,
  findStrings,
  readObject,
} from "../a2a/read-json.js";

/** The body of `POST /tasks`, decoded. */
export interface ReferenceTaskRequest {
  readonly contextId?: string;
  /** Settings of the session, apart from its workspace; absent fields have the server's defaults. */
  readonly settings: Omit<AgentSettings, "workspacePath">;
  readonly workspacePath?: string;
  /** Model key. It is not a field of `settings`, because settings are stored and the key is a secret. */
  readonly apiKey?: string;
  /** True if the task runs tools without questions. This applies to the task, not to the session. */
  readonly autoExecute?: boolean;
  /** True if the reply must be only the id, as clients of gemini-cli's server expect. */
  readonly isBareId: boolean;
}

/**
 * Decodes the body of `POST /tasks`. All of its fields are optional. (server reference, "HTTP API" and
 * "Agent Settings")
 */
export function decodeReferenceTask(json: unknown): ReferenceTaskRequest {
  const body = readObject(json, "body");
  const path = "agentSettings";
  const settings = findObject(body, path, "") ?? {};
  return compact({
    contextId: findString(body, "contextId", ""),
    settings: compact({
      model: findString(settings, "model", path),
      allowedTools: findStrings(settings, "allowedTools", path) ?? [],
      mcpServers: {},
    }),
    workspacePath:
      findString(settings, "workspaceRoot", path) ?? findString(settings, "workspacePath", path),
    apiKey: findString(settings, "apiKey", path),
    autoExecute: findBoolean(settings, "autoExecute", path),
    isBareId: settings.kind === "agent-settings",
  });
}
