import { notesDialect } from "@dt/schema/wire";
import type { Request, RequestHandler, Response } from "express";
import type { Right } from "../../access/auth/role-table.js";
import { type CallInfo, createCall } from "../../rpc/dispatch.js";
import type { RpcContext, RpcOutcome } from "../../rpc/rpc-context.js";
import { callerOf } from "../admit-request.js";
import { toProtocolError } from "../body-parser.js";
import { readCallInfo } from "../call-info.js";
import { closeSignal } from "../close-signal.js";
import type { RpcRouteOptions } from "../rpc-route.js";

/** Options of the routes of the dialect `notes`. */
export interface NotesRouteOptions extends RpcRouteOptions {
  readonly readBody: readonly RequestHandler[];
}

/** A method of the dialect `notes`. */
export interface NotesMethod {
  /** Name in metrics, in traces and in the table of roles. */
  readonly name: Right;
  method(context: RpcContext): Promise<RpcOutcome>;
}

/** Runs a method of the notes through the interceptors that every call passes. */
export async function runMethod(
  { services }: NotesRouteOptions,
  info: CallInfo,
  { name, method }: NotesMethod,
): Promise<RpcOutcome> {
  const run = (_params: unknown, context: RpcContext) => method(context);
  const call = { operation: "get", version: "0.3", name, params: {}, method: run } as const;
  return await createCall(call, info, services).run();
}

/**
 * Calls `run`, which sends a stream. An error before the first byte is thrown; a later error becomes an event of the
 * stream.
 */
export async function streamOrReport(
  response: Response,
  { onFault }: NotesRouteOptions,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (reason) {
    if (!response.headersSent) throw reason;
    const error = toProtocolError(reason);
    if (error.code === "internal") onFault(reason);
    const { body, event = "error" } = notesDialect.encodeError(error, null);
    response.end(`event: ${event}\ndata: ${JSON.stringify(body)}\n\n`);
  }
}

/** Reads the info of a call. The notes have no versions, so the version of A2A here has no effect. */
export function openCall(
  request: Request,
  response: Response,
  { services }: NotesRouteOptions,
): { readonly info: CallInfo; readonly signal: AbortSignal } {
  const signal = closeSignal(response);
  const { credentials } = services;
  const info = readCallInfo(request, callerOf(request), { signal, credentials });
  return { info: { ...info, version: "0.3", family: notesDialect.name }, signal };
}
