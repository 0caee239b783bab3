import { toClock } from "../clock.js";
import { silentLogger } from "../logging/logger.js";
import type { ServerOptions } from "../serving/server-options.js";
import type { AgentFile } from "./write-agent-file.js";

/** Options of {@link openAgentFile}. */
export interface OpenAgentFileOptions extends ServerOptions {
  /** The address that the server listens on. */
  readonly url: string;
  /** The local token of the process; undefined if the process writes no agent file. */
  readonly token: string | undefined;
}

/**
 * Writes the agent file of a server, if its options name a directory. If the file cannot be written, the server
 * still works, but programs cannot find it.
 */
export async function openAgentFile(options: OpenAgentFileOptions): Promise<AgentFile | undefined> {
  const { agentFile, token, url, publicUrl, tls, defaultSettings, shared } = options;
  if (agentFile === undefined || token === undefined) return undefined;
  try {
    // The module is loaded lazily, because servers that other programs embed write no file.
    const { writeAgentFile } = await import("./write-agent-file.js");
    return await writeAgentFile(agentFile, {
      // With TLS, the public URL is used, because the certificate is valid only for the public name.
      url: (tls && publicUrl) ?? toOwnAddress(url),
      token,
      workspacePath: defaultSettings.workspacePath,
      startedAt: toClock(options).now().toISOString(),
      ...(shared !== undefined && { contextId: (await shared()).host.session.contextId }),
    });
  } catch (error) {
    const { directory } = agentFile;
    const { logger = silentLogger } = options;
    logger.warn(
      { error, directory },
      "the agent file cannot be written, so clients cannot find it",
    );
    return undefined;
  }
}

/** Replaces 0.0.0.0 or [::], which mean all addresses of the machine, with a loopback address. */
function toOwnAddress(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
