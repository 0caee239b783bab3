import type { AgentPort, OpenAgent } from "../agent-port.js";
import { openSessionLog, type SessionLog } from "../log/session-log.js";
import type { GroupCommit } from "../store/group-commit.js";
import type { SessionRecord, SessionStore } from "../store/session-store.js";

/** One session: its agent, and the log that the agent writes and everyone reads. */
export interface SessionHost {
  readonly session: SessionRecord;
  readonly agent: AgentPort;
  readonly log: SessionLog;
}

/** What hosts are opened with. */
export interface SessionHostOptions {
  readonly openAgent: OpenAgent;
  readonly store: SessionStore;
  readonly commits: GroupCommit;
}

/** Opens a session that is not stored yet; its first commit stores it. */
export async function createSessionHost(
  session: SessionRecord,
  options: SessionHostOptions,
): Promise<SessionHost> {
  const { openAgent, store, commits } = options;
  const log = openSessionLog({ session, lastSeq: 0, isNew: true, store, commits });
  const { contextId, settings } = session;
  const agent = await openAgent({ contextId, settings, ledger: log, journal: [] });
  return { session, agent, log };
}

/** Opens a session from the store, or gives undefined where there is none. */
export async function restoreSessionHost(
  contextId: string,
  options: SessionHostOptions,
): Promise<SessionHost | undefined> {
  const { openAgent, store, commits } = options;
  const stored = await store.findSession(contextId);
  if (stored === undefined) return undefined;
  const { lastSeq, ...session } = stored;
  const log = openSessionLog({ session, lastSeq, isNew: false, store, commits });
  const journal = await store.readJournal(contextId);
  const agent = await openAgent({ contextId, settings: session.settings, ledger: log, journal });
  return { session, agent, log };
}
