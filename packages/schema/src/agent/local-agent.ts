import { isObject } from "../validation/message-json.js";

/** A dt with an endpoint, or a dt-server, on this machine, as its agent file describes it. */
export interface LocalAgent {
  /** Address of the agent. */
  readonly url: string;
  /** Secret of the process. A client that sends it is the local user. */
  readonly token: string;
  readonly workspacePath: string;
  /** Id of the live session; absent if the agent has many sessions. */
  readonly contextId?: string;
  /** Name of the program, such as `dt-server`. */
  readonly program: string;
  readonly pid: number;
  /** Host name of the machine, because several machines may share a home directory. */
  readonly machine: string;
  /** Time at which the agent began to listen. ISO 8601. */
  readonly startedAt: string;
}

/** Maximum size of an agent file. */
export const MAX_AGENT_FILE_BYTES = 16 * 1024;

/**
 * Returns the directory of agent files. It is below the data directory: `DT_DATA_DIR`, else `$XDG_DATA_HOME/dt`,
 * else `~/.local/share/dt`.
 */
export function agentFileDirectory(
  { DT_DATA_DIR, XDG_DATA_HOME }: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return `${DT_DATA_DIR || `${XDG_DATA_HOME || `${home}/.local/share`}/dt`}/agents`;
}

/** Parses the content of an agent file; undefined if a field is missing or wrong. */
export function parseAgentFile(content: unknown): LocalAgent | undefined {
  if (!isObject(content)) return undefined;
  const { url, token, workspacePath, contextId, program, pid, machine, startedAt } = content;
  const texts = [
    url,
    token,
    workspacePath,
    program,
    machine,
    startedAt,
    contextId === undefined ? "" : contextId,
  ];
  if (!texts.every((text) => typeof text === "string")) return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (!/^https?:\/\//.test(String(url))) return undefined;
  return {
    url: String(url),
    token: String(token),
    workspacePath: String(workspacePath),
    program: String(program),
    pid,
    machine: String(machine),
    startedAt: String(startedAt),
    ...(contextId !== undefined && { contextId: String(contextId) }),
  };
}
