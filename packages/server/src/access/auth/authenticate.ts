import type { IncomingMessage } from "node:http";
import { type Caller, ProtocolError, ROLES } from "@dt/schema";
import type { Clock } from "../../clock.js";
import { addLogContext } from "../../logging/log-context.js";
import type { CredentialBook } from "../credential-book.js";

/** A caller whose proof of identity may expire. The streams of the caller end at `expiresAt`. */
export interface AuthenticatedCaller extends Caller {
  readonly expiresAt?: Date;
}

/**
 * Finds the caller of a request. If it returns `undefined`, the request is refused with 401. If it throws a
 * {@link ProtocolError}, the request is refused with the status of the error's code, such as 403 for
 * `forbidden`. Any other error is a fault of the server.
 */
export type Authenticate = (
  request: IncomingMessage,
) => AuthenticatedCaller | undefined | Promise<AuthenticatedCaller | undefined>;

/** Finds the caller of a request, or throws. */
export type AuthenticateRequest = (request: IncomingMessage) => Promise<Caller>;

/** Maximum time of an authentication. */
const AUTHENTICATE_MS = 30_000;

/** Options of {@link createAuthentication}. */
export interface AuthenticationOptions {
  readonly credentials: Pick<CredentialBook, "adopt" | "findEnd">;
  readonly clock: Pick<Clock, "now">;
  /** Maximum time of an authentication. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** Creates the function that authenticates each request once. It rejects if there is no valid caller. */
export function createAuthentication(
  authenticate: Authenticate,
  { credentials, clock, timeoutMs = AUTHENTICATE_MS }: AuthenticationOptions,
): AuthenticateRequest {
  return async (request) => {
    const { expiresAt, ...caller } = checkCaller(await run(authenticate, request, timeoutMs));
    addLogContext({ user: caller.user });
    if (expiresAt === undefined) return caller;
    // This condition also refuses an invalid date, because every comparison with an invalid date is false.
    if (!(expiresAt.getTime() > clock.now().getTime())) throw expired();
    const { credential = `${caller.user} until ${expiresAt.toISOString()}` } = caller;
    const isKnown = credentials.findEnd(credential) !== undefined;
    if (!isKnown)
      credentials.adopt(
        credential,
        endAt(expiresAt, () => clock.now()),
      );
    return { ...caller, credential };
  };
}

/** Longest delay that `setTimeout` accepts, about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Creates a signal that aborts at the given time. */
function endAt(time: Date, now: () => Date): AbortSignal {
  const ended = new AbortController();
  function check(): void {
    const ms = time.getTime() - now().getTime();
    if (ms <= 0) ended.abort(expired());
    else setTimeout(check, Math.min(ms, MAX_TIMER_MS)).unref();
  }
  check();
  return ended.signal;
}

function expired(): ProtocolError {
  return new ProtocolError("unauthenticated", "the token has expired; use another one");
}

async function run(
  authenticate: Authenticate,
  request: IncomingMessage,
  timeoutMs: number,
): Promise<AuthenticatedCaller | undefined> {
  try {
    const found = authenticate(request);
    return isPromise(found) ? await within(timeoutMs, found) : found;
  } catch (reason) {
    // Express treats a thrown `undefined` as no error, so anything that is not an Error is wrapped in one.
    throw reason instanceof Error ? reason : new Error("authenticate failed", { cause: reason });
  }
}

/**
 * Throws if there is no caller, or if the caller has no user or no known role. Without the check of the user,
 * all callers without a user would be one user.
 */
function checkCaller(caller: AuthenticatedCaller | undefined): AuthenticatedCaller {
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
