import { type AgentSettings, ProtocolError } from "@dt/schema";
import { ModelError } from "../model/model.js";
import { clientMcpServers } from "../settings/servers/client-mcp-servers.js";
import type { Settings } from "../settings/settings.js";

/** What a client asks for when it opens a session, as settings. Running without asking is per task. */
export function clientSettings({ model, allowedTools, mcpServers }: AgentSettings): Settings {
  const servers = clientMcpServers(mcpServers);
  return {
    ...(model !== undefined && { model }),
    // A list that is absent and one that is empty look the same on the wire: both mean all tools.
    ...(allowedTools.length > 0 && { allowedTools }),
    ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
  };
}

/** Creates the model of a session; if the client chose one that cannot be used, its request is refused. */
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
