import type { IncomingMessage } from "node:http";
import { type Caller, ProtocolError, ROLES } from "@dt/schema";
import { addLogContext } from "../../logging/log-context.js";

/**
 * Finds the caller of a request. `undefined` refuses the request with 401. A {@link ProtocolError} refuses it with the
 * status of its code, such as 403 for `forbidden`. Any other error is a fault of the server.
 */
export type Authenticate = (
  request: IncomingMessage,
) => Caller | undefined | Promise<Caller | undefined>;

/** Finds the caller of a request, or throws. */
export type AuthenticateRequest = (request: IncomingMessage) => Promise<Caller>;

/** Maximum time of an authentication. */
const AUTHENTICATE_MS = 30_000;

/** Creates the check that every request passes once. It rejects if the request has no valid caller. */
export function createAuthentication(
  authenticate: Authenticate,
  timeoutMs = AUTHENTICATE_MS,
): AuthenticateRequest {
  return async (request) => {
    const caller = checkCaller(await run(authenticate, request, timeoutMs));
    addLogContext({ user: caller.user });
    return caller;
  };
}

async function run(
  authenticate: Authenticate,
  request: IncomingMessage,
  timeoutMs: number,
): Promise<Caller | undefined> {
  try {
    const found = authenticate(request);
    return isPromise(found) ? await within(timeoutMs, found) : found;
  } catch (reason) {
    // Express takes an undefined error for none.
    throw reason instanceof Error ? reason : new Error("authenticate failed", { cause: reason });
  }
}

/** Throws if a caller has no user or no role. Without this check, all callers without a user would be one user. */
function checkCaller(caller: Caller | undefined): Caller {
  if (caller === undefined || caller === null) {
    throw new ProtocolError("unauthenticated", "this server requires authentication; send a token");
  }
  const { user, name, role }: Partial<Caller> = caller;
  if (typeof user !== "string" || user === "" || !ROLES.some((each) => each === role)) {
    throw new Error(
      `authenticate: expected a caller with a user, and with one of the roles ${ROLES.join(", ")}`,
    );
  }
  return typeof name === "string" ? caller : { ...caller, name: user };
}

function isPromise<TValue>(value: TValue | Promise<TValue>): value is Promise<TValue> {
  return typeof (value as { then?: unknown } | undefined)?.then === "function";
}

async function within<TValue>(ms: number, work: Promise<TValue>): Promise<TValue> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const late = () =>
      reject(new ProtocolError("agent-busy", "the authentication takes too long; try again later"));
    timer = setTimeout(late, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
