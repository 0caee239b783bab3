import { findObject, findString, readObject } from "../a2a/read-json.js";

/** What a client that asks for the live endpoint's task says about itself. */
export interface GuideTaskRequest {
  /** Where it thinks that the session works. */
  readonly workspacePath?: string;
  /** Whether it is one of gemini's own clients, which expect the bare id. (DESIGN 3.17) */
  readonly isBareId: boolean;
}

/** Reads the body of `POST /tasks`; everything in it is optional. */
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
