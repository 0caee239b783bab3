import { findObject, findString, readObject } from "../a2a/read-json.js";

/** The body of a request for the live endpoint's task, decoded. */
export interface GuideTaskRequest {
  /** Workspace that the client expects. */
  readonly workspacePath?: string;
  /** True if the reply must be only the id, as clients of gemini-cli's server expect. */
  readonly isBareId: boolean;
}

/** Decodes the body of `POST /tasks`. All of its fields are optional. */
export function decodeGuideTask(json: unknown): GuideTaskRequest {
  const body = readObject(json, "body");
  const settings = findObject(body, "agentSettings", "") ?? {};
  const workspacePath =
    findString(settings, "workspacePath", "agentSettings") ??
    findString(settings, "workspaceRoot", "agentSettings") ??
    findString(settings, "workspace_path", "agentSettings");
  return {
    isBareId: settings.kind === "agent-settings",
    ...(workspacePath !== undefined && { workspacePath }),
  };
}
