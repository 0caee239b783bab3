import { type AgentSettings, type Principal, ProtocolError } from "@dt/schema";
import { createGroupCommit } from "../store/group-commit.js";
import type { StoredReceipt, TaskRecord } from "../store/session-store.js";
import {
  createSessionHost,
  restoreSessionHost,
  type SessionHost,
  type SessionHostOptions,
} from "./session-host.js";

/** The sessions of a server: in memory while they are used, in the store always. */
export interface SessionRegistry {
  /** The session of a context, from the store if need be; undefined where the principal has none. */
  findSession(contextId: string, principal: Principal): Promise<SessionHost | undefined>;
  /** A task and its session; throws `task-not-found`, also where the task is someone else's. */
  getTask(
    taskId: string,
    principal: Principal,
  ): Promise<{ readonly task: TaskRecord; readonly host: SessionHost }>;
  /** Makes a session; nothing is stored before its first prompt is. */
  createSession(
    options: { readonly contextId: string; readonly settings: AgentSettings },
    principal: Principal,
  ): Promise<SessionHost>;
  findReceipt(principal: Principal, messageId: string): Promise<StoredReceipt | undefined>;
  /** Opens every session that a restart interrupted, so that its tasks say so. */
  recover(): Promise<void>;
  /** Stops every session; resolves when all is committed. */
  close(): Promise<void>;
}

/** Opens a registry on a store, which it closes at its own end. */
export function openSessionRegistry(
  options: Omit<SessionHostOptions, "commits"> & { readonly now?: () => Date },
): SessionRegistry {
  const { store, now = () => new Date() } = options;
  const commits = createGroupCommit(store);
  const hostOptions: SessionHostOptions = { ...options, commits };
  // Promises, so that two requests for one session open it once.
  const hosts = new Map<string, Promise<SessionHost | undefined>>();

  function keep(contextId: string, opening: Promise<SessionHost | undefined>) {
    hosts.set(contextId, opening);
    const forget = () => {
      if (hosts.get(contextId) === opening) hosts.delete(contextId);
    };
    opening.then((host) => host === undefined && forget(), forget);
    return opening;
  }

  function findHost(contextId: string): Promise<SessionHost | undefined> {
    return hosts.get(contextId) ?? keep(contextId, restoreSessionHost(contextId, hostOptions));
  }

  return {
    async findSession(contextId, { principal }) {
      const host = await findHost(contextId);
      return host?.session.owner === principal ? host : undefined;
    },
    async getTask(taskId, { principal }) {
      const task = await store.findTask(taskId);
      const host = task?.owner === principal ? await findHost(task.contextId) : undefined;
      if (task === undefined || host === undefined) {
        throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
      }
      return { task, host };
    },
    async createSession({ contextId, settings }, { principal }) {
      if ((await findHost(contextId)) !== undefined) {
        throw new ProtocolError("invalid-message", `contextId: ${contextId} is already in use`);
      }
      const session = { contextId, owner: principal, settings, createdAt: now().toISOString() };
      const host = await keep(contextId, createSessionHost(session, hostOptions));
      if (host === undefined) throw new Error("a new session has no host");
      return host;
    },
    findReceipt: ({ principal }, messageId) => store.findReceipt(principal, messageId),
    async recover() {
      for (const contextId of await store.listUnfinished()) await findHost(contextId);
    },
    async close() {
      const open = await Promise.allSettled(hosts.values());
      const agents = open.flatMap((result) =>
        result.status === "fulfilled" && result.value ? [result.value.agent] : [],
      );
      await Promise.allSettled(agents.map((agent) => agent.close()));
      await commits.close();
      await store.close();
    },
  };
}
