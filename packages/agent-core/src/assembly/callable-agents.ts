import { open } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import type { CalledAgentSettings } from "../settings/called-agent-settings.js";
import { SETTINGS_DEFAULTS } from "../settings/settings-defaults.js";
import type { CallableAgent } from "../tools/builtin/call-agent/call-agent.js";

/** Converts the called agents of the settings. The token of an agent is read each time the agent is called. */
export function toCallableAgents(
  agents: Readonly<Record<string, CalledAgentSettings>>,
): Readonly<Record<string, CallableAgent>> {
  const entries = Object.entries(agents).map(
    ([name, settings]) => [name, toCallableAgent(name, settings)] as const,
  );
  return Object.fromEntries(entries);
}

function toCallableAgent(name: string, settings: CalledAgentSettings): CallableAgent {
  const { url, description, workspacePath, timeoutMs } = settings;
  return {
    url,
    silenceMs: timeoutMs ?? SETTINGS_DEFAULTS.calledAgentTimeoutMs,
    ...(description !== undefined && { description }),
    ...(workspacePath !== undefined && { workspacePath }),
    readToken: () => readToken(name, settings),
  };
}

const MAX_TOKEN_BYTES = 64_000;

/** Reads the token. A token that is configured but empty is an error, because the agent would be called without it. */
async function readToken(
  name: string,
  { token, tokenFile }: CalledAgentSettings,
): Promise<string | undefined> {
  if (token === undefined && tokenFile === undefined) return undefined;
  const key = token === undefined ? "tokenFile" : "token";
  const value = (token ?? (await readTokenFile(name, tokenFile ?? ""))).trim();
  if (value !== "") return value;
  throw new ToolError("no_token", `agents.${name}.${key} is empty; set it, or leave the key out`);
}

async function readTokenFile(name: string, file: string): Promise<string> {
  const problem = (what: string) =>
    new ToolError("no_token", `agents.${name}.tokenFile: ${file} ${what}`);
  if (!path.isAbsolute(file)) throw problem("must be an absolute path");
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) throw problem("cannot be read; create it, or correct the path");
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_TOKEN_BYTES + 1));
    if (bytesRead > MAX_TOKEN_BYTES) throw problem(`is larger than ${MAX_TOKEN_BYTES} bytes`);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
