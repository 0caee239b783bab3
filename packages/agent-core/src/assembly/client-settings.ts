import { type AgentSettings, ProtocolError } from "@dt/schema";
import { ModelError } from "../model/model.js";
import { clientMcpServers } from "../settings/servers/client-mcp-servers.js";
import type { Settings } from "../settings/settings.js";

/** Converts the settings of a client. `autoExecute` is not included, because it belongs to a task. */
export function toClientSettings({ model, allowedTools, mcpServers }: AgentSettings): Settings {
  const servers = clientMcpServers(mcpServers);
  return {
    ...(model !== undefined && { model }),
    // On the wire an empty list is the same as no list. Both mean all tools.
    ...(allowedTools.length > 0 && { allowedTools }),
    ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
  };
}

/** Calls `create`. Refuses the client's request if the client chose a model that cannot be used. */
export function createClientModel<TModel>(
  client: Pick<AgentSettings, "model"> | undefined,
  create: () => TModel,
): TModel {
  try {
    return create();
  } catch (reason) {
    if (client?.model === undefined || !(reason instanceof ModelError)) throw reason;
    const data = { path: "model" };
    throw new ProtocolError("invalid-message", `model: ${reason.message}`, { cause: reason, data });
  }
}
