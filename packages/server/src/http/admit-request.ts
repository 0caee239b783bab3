import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@dt/schema";
import type { RequestHandler } from "express";
import { findBearerToken } from "../access/auth/bearer-token.js";
import { challengeHeaders } from "../access/auth/challenge.js";
import { checkRole, type Right } from "../access/auth/role-table.js";
import type { CredentialBook } from "../access/credential-book.js";
import { discardBody } from "./body-parser.js";

const CALLERS = new WeakMap<IncomingMessage, Caller>();

/** Time from the end of a caller's credential until the responses to the caller are destroyed. */
const END_MS = 500;

/** Options of {@link admitRequest}. */
export interface AdmitOptions {
  authenticate(request: IncomingMessage): Caller | Promise<Caller>;
  readonly services: { readonly credentials: Pick<CredentialBook, "findEnd"> };
}

/**
 * Authenticates a request once, before its body is read. A refused request gets an error in the form of its
 * route.
 */
export function admitRequest({ authenticate, services }: AdmitOptions): RequestHandler {
  return async (request, response, next) => {
    try {
      const caller = await authenticate(request);
      CALLERS.set(request, caller);
      destroyAfterEnd(response, services.credentials.findEnd(caller.credential));
    } catch (reason) {
      const hasToken = findBearerToken(request) !== undefined;
      response.setHeaders(new Map(Object.entries(challengeHeaders(reason, { hasToken }))));
      discardBody(request);
      next(reason);
      return;
    }
    next();
  };
}

/**
 * Destroys a response {@link END_MS} after the access of its caller has ended. Most responses end by themselves before
 * that. A response whose client does not read cannot end, because its last bytes cannot be written.
 */
export function destroyAfterEnd(response: ServerResponse, ended: AbortSignal | undefined): void {
  if (ended === undefined) return;
  const onEnd = () => setTimeout(() => response.destroy(), END_MS).unref();
  ended.addEventListener("abort", onEnd);
  response.once("close", () => ended.removeEventListener("abort", onEnd));
}

/** Refuses requests whose caller's role does not include a right. Use it after {@link admitRequest}. */
export function requireRole(right: Right): RequestHandler {
  return (request, _response, next) => {
    checkRole(callerOf(request), right);
    next();
  };
}

/** Returns the caller of a request that {@link admitRequest} has admitted. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = CALLERS.get(request);
  if (caller === undefined) throw new Error("the request was not authenticated");
  return caller;
}
