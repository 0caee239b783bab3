import { replyOrRefuse, type SessionReply, type SessionRequest } from "@dt/schema";
import type { TaskQuota } from "../../access/limits/task-quota.js";
import type { TurnGate } from "../../access/limits/turn-gate.js";
import type { SessionLog } from "../../log/session-log.js";
import { addLogContext, withLogContext } from "../../logging/log-context.js";
import type { SessionRecord, SessionStore } from "../../store/session-store.js";
import type { Interceptor } from "./intercept.js";

/** Limits that a request must pass before it starts a turn. */
export interface TurnStartLimits {
  readonly gate: TurnGate;
  readonly quota: TaskQuota;
  readonly store: Pick<SessionStore, "findTask">;
  /** Removes a session that has no events, because all its requests were refused. */
  discard(contextId: string): Promise<void>;
}

/** The session whose requests are limited. */
export interface LimitedSession {
  readonly session: SessionRecord;
  readonly log: Pick<SessionLog, "isBusy" | "lastPosition">;
}

type StartingRequest = SessionRequest & {
  readonly type: "prompt" | "steer" | "command" | "open-task";
};

/** Lets a request start a turn only if the limits allow it, and adds its ids to the log context. */
export function limitTurns(
  { session, log }: LimitedSession,
  { gate, quota, store, discard }: TurnStartLimits,
): Interceptor {
  const { contextId, owner } = session;
  let openRequests = 0;

  async function start(
    request: StartingRequest,
    next: () => Promise<SessionReply>,
  ): Promise<SessionReply> {
    const { taskId } = request;
    addLogContext({ contextId, taskId });
    openRequests += 1;
    try {
      const isNew = (await store.findTask(taskId)) === undefined;
      if (isNew) await quota.check(owner);
      // A command is answered at once, so it does not wait until fewer turns run. (RFC-23)
      const enter = request.type === "command" ? gate.enterNow : gate.enter;
      await enter(contextId, owner);
      const reply = await withLogContext({ contextId, taskId }, next);
      if (isNew && createsTask(reply, taskId)) quota.add(owner);
      return reply;
    } finally {
      openRequests -= 1;
      // If the request was refused or its turn has ended already, no turn runs.
      if (!log.isBusy && openRequests === 0) gate.release(contextId);
      if (log.lastPosition === 0 && openRequests === 0) await discard(contextId);
    }
  }

  return (next) => async (request, caller) =>
    isStarting(request)
      ? await replyOrRefuse(() => start(request, () => next(request, caller)))
      : await next(request, caller);
}

// Returns true if a request created a task. A message that joins a running turn belongs to the task of that turn.
function createsTask(reply: SessionReply, taskId: string): boolean {
  if (reply.type === "ticket" && reply.ticket !== undefined) return reply.ticket.taskId === taskId;
  return reply.type !== "refused";
}

function isStarting(request: SessionRequest): request is StartingRequest {
  return ["prompt", "steer", "command", "open-task"].includes(request.type);
}
