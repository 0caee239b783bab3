import type { IncomingMessage } from "node:http";
import type { Principal } from "@dt/schema";
import type { Response } from "express";
import type { Call, CallInfo } from "../rpc/dispatch.js";
import { readTrace } from "../rpc/trace-call.js";

/** What a request's headers say about the call in it. */
export function readCallInfo(
  { headers }: IncomingMessage,
  principal: Principal,
  signal: AbortSignal,
): CallInfo {
  return {
    principal,
    signal,
    extensions: readExtensions(headers["a2a-extensions"], headers["x-a2a-extensions"]),
    version: one(headers["a2a-version"]),
    trace: readTrace(headers),
    after: one(headers["last-event-id"]),
    acceptsStream: headers.accept?.includes("text/event-stream") === true,
  };
}

/** The URIs in headers that list extensions, separated by commas. */
export function readExtensions(
  ...values: readonly (string | readonly string[] | undefined)[]
): readonly string[] {
  return values
    .flatMap((value) => value ?? [])
    .flatMap((value) => value.split(","))
    .map((uri) => uri.trim())
    .filter((uri) => uri !== "");
}

/** Tells the client what is active: on streams too, before the first byte. */
export function echoExtensions(response: Response, { activation, version }: Call): void {
  const active = [
    activation.developmentTool ? activation.uris.developmentTool : "",
    activation.session ? activation.uris.session : "",
  ].filter((uri) => uri !== "");
  if (active.length === 0) return;
  response.setHeader(version === "1.0" ? "A2A-Extensions" : "X-A2A-Extensions", active.join(", "));
}

/** The first value of a header. */
export function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
