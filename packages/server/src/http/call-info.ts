import type { IncomingMessage } from "node:http";
import { type Caller, CLIENT_ID_HEADER } from "@dt/schema";
import type { Response } from "express";
import type { CredentialBook } from "../access/credential-book.js";
import { isFromLoopback } from "../access/source/from-loopback.js";
import { readVersionParameter } from "../access/source/version-parameter.js";
import type { Call, CallInfo } from "../rpc/dispatch.js";
import { extensionHeaders } from "../rpc/extension-headers.js";
import { readTrace } from "../rpc/trace-call.js";
import { joinSignals } from "./close-signal.js";

/** Reads the info of a call from the headers of its request. */
export function readCallInfo(
  request: IncomingMessage,
  caller: Caller,
  { signal, credentials }: { readonly signal: AbortSignal; readonly credentials: CredentialBook },
): CallInfo {
  const { headers } = request;
  const clientId = firstValue(headers[CLIENT_ID_HEADER.toLowerCase()]);
  const ended = credentials.findEnd(caller.credential);
  const credential =
    clientId === undefined ? undefined : credentials.ofClient(caller, clientId, signal);
  return {
    caller: { ...caller, ...(credential !== undefined && { credential }) },
    signal: ended === undefined ? signal : joinSignals(signal, ended),
    ...(ended !== undefined && { ended }),
    host: headers.host,
    isFromLoopback: isFromLoopback(request),
    extensions: readExtensions(headers["a2a-extensions"], headers["x-a2a-extensions"]),
    version: readVersionParameter(request),
    trace: readTrace(headers),
    // An empty header means that there is no cursor.
    after: firstValue(headers["last-event-id"]) || undefined,
    acceptsStream: headers.accept?.includes("text/event-stream") === true,
  };
}

/** Reads extension URIs from header values. Each value may list several URIs, separated by commas. */
export function readExtensions(
  ...values: readonly (string | readonly string[] | undefined)[]
): readonly string[] {
  return values
    .flatMap((value) => value ?? [])
    .flatMap((value) => value.split(","))
    .map((uri) => uri.trim())
    .filter((uri) => uri !== "");
}

/** Sets the header that names the active extensions. Call it before the first byte of a stream is sent. */
export function echoExtensions(response: Response, { activation, version }: Call): void {
  for (const [name, value] of Object.entries(extensionHeaders(activation, version))) {
    response.setHeader(name, value);
  }
}

/** Returns the first value of a header. */
export function firstValue(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
