import type { AgentSettings } from "@dt/schema";
import { clientMcpServers } from "../settings/client-mcp-servers.js";
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
