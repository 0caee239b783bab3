import type { IncomingMessage } from "node:http";
import { isCompatibleUri } from "@dt/schema";
import type { A2aVersion, Dialect } from "@dt/schema/wire";
import type { Context } from "@opentelemetry/api";
import { isFromLoopback } from "../access/source/from-loopback.js";
import { firstValue, readExtensions } from "../http/call-info.js";
import { readVersion } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { readTrace } from "../rpc/trace-call.js";

/** What holds for every call on a socket. */
export interface SocketInfo {
  readonly version: string | undefined;
  readonly extensions: readonly string[];
  /** The trace that whoever opened the socket belongs to. */
  readonly trace: Context;
  /** Whether the socket was opened on this machine. */
  readonly isFromLoopback: boolean;
  /** The cursor after which unasked events go on. */
  readonly after: string | undefined;
  /** Whether events that nobody asked for are wanted. */
  readonly wantsUnasked: boolean;
}

/** What the upgrade says, in its headers or, since browsers cannot set those, in its query. */
export function readSocketInfo(request: IncomingMessage): SocketInfo {
  const { url = "/", headers } = request;
  const query = new URL(url, "http://socket").searchParams;
  return {
    version: query.get("A2A-Version") ?? firstValue(headers["a2a-version"]),
    extensions: readExtensions(
      query.get("A2A-Extensions") ?? undefined,
      headers["a2a-extensions"],
      headers["x-a2a-extensions"],
    ),
    trace: readTrace(headers),
    isFromLoopback: isFromLoopback(request),
    after: query.get("after") || undefined,
    wantsUnasked: query.get("events") !== "asked",
  };
}

/**
 * The dialect of events that nobody asked for. A client that names no extension gets both, because it came to
 * watch a live session, and that is their purpose. (CLI-05, CLI-16)
 */
export function unaskedDialect(info: SocketInfo, { uris, dialects }: RpcServices): Dialect {
  const version: A2aVersion = readVersion(info.version) ?? "1.0";
  const { extensions } = info;
  const isActive = (uri: string) =>
    extensions.length === 0 || extensions.some((extension) => isCompatibleUri(uri, extension));
  const session = isActive(uris.session);
  const developmentTool = session || isActive(uris.developmentTool);
  return dialects.ofTask(undefined, { version, developmentTool, session });
}
