import type { McpServer, SessionSettings } from "@dt/schema";
import type { SecretVault } from "./secret-vault.js";

/** The secrets of a session's client. */
interface SessionSecrets {
  readonly modelKey?: string;
  /** MCP servers with variables, headers or a secret in their address. */
  readonly mcpServers: Readonly<Record<string, McpServer>>;
}

/** Settings as the agent gets them, and the secrets that are lost. */
export interface OpenedSettings {
  readonly settings: SessionSettings;
  readonly modelKey?: string;
  /** Reason why the model key is lost; absent if the session has no model key, or if the key was opened. */
  readonly lostKey?: string;
  /** A sentence for each MCP server that is lost with its secrets, for the people in the session. */
  readonly warnings: readonly string[];
}

/**
 * Moves the secrets of a client out of the settings of a session, into one sealed text. The result may be stored. An
 * MCP server with secrets is sealed as a whole, because a server without its secrets would not be valid.
 */
export function sealSettings(
  settings: SessionSettings,
  { contextId, modelKey }: { readonly contextId: string; readonly modelKey?: string | undefined },
  vault: SecretVault,
): SessionSettings {
  const servers = Object.entries(settings.mcpServers);
  const secret = servers.filter(([, server]) => hasSecret(server));
  if (secret.length === 0 && modelKey === undefined) return settings;
  const secrets: SessionSecrets = {
    mcpServers: Object.fromEntries(secret),
    ...(modelKey !== undefined && { modelKey }),
  };
  return {
    ...settings,
    mcpServers: Object.fromEntries(servers.filter(([, server]) => !hasSecret(server))),
    sealed: {
      text: vault.seal(JSON.stringify(secrets), recordKeyOf(contextId)),
      servers: secret.map(([name]) => name),
    },
  };
}

/** Opens the settings of a stored session. MCP servers whose secrets are lost are named in the warnings. */
export function openSettings(
  stored: SessionSettings,
  contextId: string,
  vault: SecretVault,
): OpenedSettings {
  const { sealed, ...settings } = stored;
  if (sealed === undefined) return { settings, warnings: [] };
  const opened = vault.open(sealed.text, recordKeyOf(contextId));
  if (opened.type === "lost") {
    const { reason } = opened;
    return {
      settings,
      warnings: sealed.servers.map(
        (name) => `the MCP server ${name} is missing: its secret ${reason}`,
      ),
      ...(settings.hasModelKey === true && { lostKey: reason }),
    };
  }
  // The cast is safe, because only `sealSettings` creates this text, and the vault refuses a changed text.
  const { mcpServers, ...key } = JSON.parse(opened.text) as SessionSecrets;
  return {
    settings: { ...settings, mcpServers: { ...settings.mcpServers, ...mcpServers } },
    warnings: [],
    ...key,
  };
}

/** Removes the secrets of a session from memory. */
export function forgetSettings(contextId: string, vault: SecretVault): void {
  vault.forget(recordKeyOf(contextId));
}

function recordKeyOf(contextId: string): string {
  return `session:${contextId}`;
}

function hasSecret({ env, headers, url }: McpServer): boolean {
  if (Object.keys(env).length > 0 || Object.keys(headers).length > 0) return true;
  return url !== undefined && /[?@]/.test(url);
}
