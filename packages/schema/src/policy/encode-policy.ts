import type { JsonObject } from "../validation/message-json.js";
import type { ServerPolicy } from "./server-policy.js";

/**
 * Encodes a policy for clients, so that they can show its limits before a request is refused. Directories of
 * the server are left out.
 */
export function encodePolicy(policy: ServerPolicy): JsonObject {
  const { maxMode, allowedTools, excludedTools, models, mcpServers, sharing } = policy;
  const { users, links, maxRole, maxDays } = sharing ?? {};
  return {
    ...(maxMode !== undefined && { max_mode: maxMode }),
    ...(allowedTools !== undefined && { allowed_tools: allowedTools }),
    ...(excludedTools !== undefined && { excluded_tools: excludedTools }),
    ...(models !== undefined && { models }),
    ...(mcpServers?.clients !== undefined && { mcp_servers: mcpServers.clients }),
    ...(sharing !== undefined && {
      sharing: {
        ...(users !== undefined && { users }),
        ...(links !== undefined && { links }),
        ...(maxRole !== undefined && { max_role: maxRole }),
        ...(maxDays !== undefined && { max_days: maxDays }),
      },
    }),
  };
}
