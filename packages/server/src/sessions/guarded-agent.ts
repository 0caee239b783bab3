import type { TaskQuota } from "../access/task-quota.js";
import type { TurnGate } from "../access/turn-gate.js";
import type { AgentPort } from "../agent-port.js";
import { addLogContext, withLogContext } from "../logging/log-context.js";
import type { SessionStore } from "../store/session-store.js";
import type { SessionHost } from "./session-host.js";

/** What guards an agent. */
export interface AgentGuard {
  readonly gate: TurnGate;
  readonly quota: TaskQuota;
  readonly store: Pick<SessionStore, "findTask">;
  /** Takes away a session that was opened for prompts and commands of which none was taken. */
  discard(contextId: string): Promise<void>;
}

/** A host whose agent takes a prompt only where the limits allow it, and logs with its ids. */
export function guardHost(host: SessionHost, guard: AgentGuard): SessionHost {
  const { agent, log, session } = host;
  const { contextId, owner } = session;
  const { gate } = guard;
  let underWay = 0;

  async function begin<TTicket>(
    taskId: string,
    enter: TurnGate["enter"] | TurnGate["enterNow"],
    start: () => Promise<TTicket>,
  ): Promise<TTicket> {
    addLogContext({ contextId, taskId });
    underWay += 1;
    try {
      const isNew = (await guard.store.findTask(taskId)) === undefined;
      if (isNew) await guard.quota.check(owner);
      await enter(contextId, owner);
      const ticket = await withLogContext({ contextId, taskId }, start);
      if (isNew) guard.quota.added(owner);
      return ticket;
    } finally {
      underWay -= 1;
      // What was refused, or is over already, leaves nothing that works.
      if (!log.isBusy && underWay === 0) gate.release(contextId);
      if (log.lastSeq === 0 && underWay === 0) await guard.discard(contextId);
    }
  }

  // What starts a turn; whatever else an agent can do passes through.
  const guarded: Pick<AgentPort, "prompt" | "runCommand"> = {
    prompt: (...args) => begin(args[0].taskId, gate.enter, () => agent.prompt(...args)),
    // Answered at once, so it does not wait in line. (RFC-23)
    runCommand: (...args) => begin(args[0].taskId, gate.enterNow, () => agent.runCommand(...args)),
  };
  return {
    ...host,
    agent: new Proxy(agent, {
      get(target, name) {
        if (Object.hasOwn(guarded, name)) return Reflect.get(guarded, name);
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    }),
  };
}
