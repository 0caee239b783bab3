import path from "node:path";
import type { LocalAgent } from "@dt/client/node";

/** Default address of dt-server. */
const DEFAULT_URL = "http://127.0.0.1:41242";

/** The agent to connect to. An agent that was found on this machine has a token. */
export interface ChosenAgent {
  readonly url: string;
  readonly token?: string | undefined;
}

/**
 * Chooses the configured address. Without one, chooses an agent of this machine: the latest agent whose
 * workspace contains the opened folder, else the latest dt-server. A dt in another folder is not chosen,
 * because it has its own conversation.
 */
export function chooseAgent(
  configured: string,
  found: readonly LocalAgent[],
  folder: string | undefined,
): ChosenAgent {
  if (configured !== "") return { url: configured };
  const here = found.find(
    ({ workspacePath }) => folder !== undefined && contains(workspacePath, folder),
  );
  return here ?? found.find(({ contextId }) => contextId === undefined) ?? { url: DEFAULT_URL };
}

/** Returns true if an address is this machine's, so that an agent there can reach the editor's tools. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function contains(parent: string, child: string): boolean {
  const relative = path.relative(parent, child);
  return relative === "" || !(relative.startsWith("..") || path.isAbsolute(relative));
}
