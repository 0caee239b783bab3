import {
  type Caller,
  includesRole,
  ProtocolError,
  type Role,
  replyOrRefuse,
  type SessionRequest,
} from "@dt/schema";
import type { SessionAccess } from "../../access/grants/session-access.js";
import type { SessionRecord } from "../../store/session-store.js";
import type { Interceptor } from "./intercept.js";

/** The lowest role in a session that may send each type of request to its agent. */
const REQUEST_ROLES: Readonly<Record<SessionRequest["type"], Role>> = {
  "list-commands": "observe",
  "get-modes": "observe",
  "get-metadata": "observe",
  "list-permissions": "observe",
  prompt: "prompt",
  steer: "prompt",
  withdraw: "prompt",
  cancel: "prompt",
  retry: "prompt",
  command: "prompt",
  "open-task": "prompt",
  answer: "approve",
  "forget-permissions": "approve",
  "announce-access": "admin",
  finish: "admin",
};

/**
 * Replaces the role of each caller by the caller's role in this session, and refuses requests that need a higher role.
 * The methods of the server check the role too, with a better error, but not every request to an agent comes from a
 * method.
 */
export function useSessionRole(
  session: SessionRecord,
  access: Pick<SessionAccess, "toSessionCaller">,
): Interceptor {
  async function admit(request: SessionRequest, caller: Caller): Promise<Caller> {
    const admitted = await access.toSessionCaller(session, caller);
    if (admitted === undefined) {
      throw new ProtocolError("task-not-found", `there is no session ${session.contextId}`);
    }
    if (includesRole(admitted.role, lowestRole(request))) return admitted;
    const refused = `your role ${admitted.role} in this session does not include ${request.type}`;
    throw new ProtocolError(
      "forbidden",
      `${refused}; ask the owner of the session for a higher one`,
    );
  }

  return (next) => (request, caller) =>
    replyOrRefuse(async () => await next(request, await admit(request, caller)));
}

/** Returns the lowest role that may send a request. A prompt that approves tools in advance needs `approve`. */
function lowestRole(request: SessionRequest): Role {
  const modes =
    request.type === "prompt" || request.type === "steer"
      ? [request.mode, request.taskMode]
      : [request.type === "open-task" ? request.taskMode : undefined];
  return modes.includes("yolo") || modes.includes("auto-edit")
    ? "approve"
    : REQUEST_ROLES[request.type];
}
