import { ProtocolError } from "@dt/schema";
import type { Limits } from "../access/limits.js";
import type { TurnGate } from "../access/turn-gate.js";
import type { AgentPort } from "../agent-port.js";
import { addLogContext, withLogContext } from "../logging/log-context.js";
import type { SessionStore } from "../store/session-store.js";
import type { SessionHost } from "./session-host.js";

/** What guards an agent. */
export interface AgentGuard {
  readonly gate: TurnGate;
  readonly store: Pick<SessionStore, "findTask" | "countTasks">;
  readonly limits: Pick<Limits, "maxTasksPerOwner">;
}

/** A host whose agent takes a prompt only where the limits allow it, and logs with its ids. */
export function guardHost(host: SessionHost, guard: AgentGuard): SessionHost {
  const { agent, log, session } = host;
  const { contextId, owner } = session;

  async function begin<TTicket>(taskId: string, start: () => Promise<TTicket>): Promise<TTicket> {
    addLogContext({ contextId, taskId });
    await checkTasks(taskId, owner, guard);
    await guard.gate.enter(contextId, owner);
    try {
      return await withLogContext({ contextId, taskId }, start);
    } finally {
      // What was refused, or is over already, leaves nothing that works.
      if (!log.isBusy) guard.gate.release(contextId);
    }
  }

  // What starts a turn; whatever else an agent can do passes through.
  const guarded: Pick<AgentPort, "prompt" | "runCommand"> = {
    prompt: (...args) => begin(args[0].taskId, () => agent.prompt(...args)),
    runCommand: (...args) => begin(args[0].taskId, () => agent.runCommand(...args)),
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

async function checkTasks(
  taskId: string,
  owner: string,
  { store, limits }: AgentGuard,
): Promise<void> {
  if ((await store.findTask(taskId)) !== undefined) return;
  const { total } = await store.countTasks(owner);
  if (total < limits.maxTasksPerOwner) return;
  throw new ProtocolError("agent-busy", `${total} tasks are kept already; no more are taken`, {
    data: { maxTasks: limits.maxTasksPerOwner },
  });
}
