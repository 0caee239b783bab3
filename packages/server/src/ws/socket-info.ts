import type { IncomingMessage } from "node:http";
import { isCompatibleUri } from "@dt/schema";
import type { A2aVersion, Dialect } from "@dt/schema/wire";
import type { Context } from "@opentelemetry/api";
import { isFromLoopback } from "../access/source/from-loopback.js";
import { readVersionParameter } from "../access/source/version-parameter.js";
import { readExtensions } from "../http/call-info.js";
import { readVersion } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { readTrace } from "../rpc/trace-call.js";

/** Data of the upgrade request that applies to all calls on the socket. */
export interface SocketInfo {
  readonly version: string | undefined;
  readonly extensions: readonly string[];
  /** Trace of the request that opened the socket. */
  readonly trace: Context;
  /** Host and port that the client connected to. */
  readonly host: string | undefined;
  /** True if the socket was opened from this machine. */
  readonly isFromLoopback: boolean;
  /** Only unsolicited events after this cursor are sent. */
  readonly after: string | undefined;
  /** True if the client wants unsolicited events: all events of a live session, sent without a request. */
  readonly wantsUnsolicited: boolean;
}

/** Reads the upgrade request. Values may be in the URL, because a browser cannot set WebSocket headers. */
export function readSocketInfo(request: IncomingMessage): SocketInfo {
  const { url = "/", headers } = request;
  const query = new URL(url, "http://socket").searchParams;
  return {
    version: readVersionParameter(request),
    extensions: readExtensions(
      query.get("A2A-Extensions") ?? undefined,
      headers["a2a-extensions"],
      headers["x-a2a-extensions"],
    ),
    trace: readTrace(headers),
    host: headers.host,
    isFromLoopback: isFromLoopback(request),
    after: query.get("after") || undefined,
    wantsUnsolicited: query.get("events") !== "asked",
  };
}

/**
 * Finds the dialect of unsolicited events. If the client names no extension, both of our extensions are
 * active, because without them the events would not describe the live session. (CLI-05, CLI-16)
 */
export function unsolicitedDialect(info: SocketInfo, { uris, dialects }: RpcServices): Dialect {
  const version: A2aVersion = readVersion(info.version) ?? "1.0";
  const { extensions } = info;
  const isActive = (uri: string) =>
    extensions.length === 0 || extensions.some((extension) => isCompatibleUri(uri, extension));
  const session = isActive(uris.session);
  const developmentTool = session || isActive(uris.developmentTool);
  return dialects.ofTask(undefined, { version, developmentTool, session });
}
