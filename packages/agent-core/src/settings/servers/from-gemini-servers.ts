/**
 * Converts MCP servers from Gemini CLI's keys to dt's keys: `httpUrl` becomes `url`, `timeout` becomes
 * `timeoutMs`. Keys that dt does not have are dropped. The values are checked later, by the schema.
 */
function fromGeminiServers(servers: unknown): unknown {
  if (!isRecord(servers)) return servers;
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, fromGeminiServer(server)]),
  );
}

/** Converts the MCP servers in an extension's manifest or in settings of Gemini CLI. */
export function withGeminiServers(settings: unknown): unknown {
  if (!isRecord(settings) || settings.mcpServers === undefined) return settings;
  return { ...settings, mcpServers: fromGeminiServers(settings.mcpServers) };
}

const SHARED_KEYS = ["command", "args", "env", "cwd", "url", "headers", "timeoutMs"];

function fromGeminiServer(server: unknown): unknown {
  if (!isRecord(server)) return server;
  const { httpUrl, timeout } = server;
  const shared = Object.fromEntries(
    Object.entries(server).filter(([key]) => SHARED_KEYS.includes(key)),
  );
  return {
    ...shared,
    ...(httpUrl !== undefined && { url: httpUrl }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
