import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { McpServerSettings } from "../../settings/servers/mcp-server-settings.js";

const derive = promisify<string, string, number, Buffer>(scrypt);

const DIGEST_BYTES = 8;

/**
 * Digests the values of a server that questions hide: variables, headers and the query. Answers are stored with
 * the digest. The digest is slow to compute, so that nobody can find a short secret by trying all values.
 */
export async function digestValues(name: string, server: McpServerSettings): Promise<string> {
  const values =
    "url" in server ? [server.url, ...sortEntries(server.headers)] : sortEntries(server.env);
  const digest = await derive(JSON.stringify(values), `MCP server ${name}`, DIGEST_BYTES);
  return digest.toString("hex");
}

function sortEntries(values: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(values)
    .map((entry) => JSON.stringify(entry))
    .sort();
}
