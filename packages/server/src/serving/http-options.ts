import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Caller, defaultExtensionUris } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { defaultLimits } from "../access/limits/limits.js";
import { createStreamLimit } from "../access/limits/stream-limit.js";
import { toClock } from "../clock.js";
import { one } from "../http/call-info.js";
import type { HttpAppOptions } from "../http/create-http-app.js";
import { addLogContext } from "../logging/log-context.js";
import { createSharedSnapshots } from "../rpc/frames/shared-snapshots.js";
import { createInFlight } from "../rpc/messages/in-flight.js";
import type { ServerOptions } from "./server-options.js";

/** Largest body of a request. */
export const DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024;

/** What the HTTP and WebSocket sides are made of, from what the server was given. */
export function toHttpOptions(
  options: ServerOptions,
  parts: Pick<HttpAppOptions, "guard" | "onFault" | "unfinished"> &
    Pick<HttpAppOptions["services"], "stopping"> & { url(): string; countClients(): number },
): HttpAppOptions {
  const { uris = defaultExtensionUris, isExtensionRequired = false } = options;
  const { sessions, credentials, pushes } = options;
  const { stopping, guard, unfinished, onFault, url, countClients } = parts;
  return {
    services: {
      sessions,
      credentials,
      stopping,
      tasks: options.store,
      ...(pushes !== undefined && { pushes }),
      inFlight: createInFlight(),
      snapshots: createSharedSnapshots(),
      streams: createStreamLimit(
        options.limits?.maxStreamsPerPrincipal ?? defaultLimits.maxStreamsPerPrincipal,
      ),
      ...(options.metrics !== undefined && { metrics: options.metrics }),
      ...(options.listCommands !== undefined && { listCommands: options.listCommands }),
      workspaceRoots: options.workspaceRoots,
      defaultSettings: options.defaultSettings,
      createId: randomUUID,
      clock: toClock(options),
      isExtensionRequired,
      uris,
      dialects: createDialects(uris),
      ...(options.shared !== undefined && { shared: options.shared, countClients }),
    },
    authenticate(request) {
      const caller = checkCaller((options.authenticate ?? localCaller)(request));
      addLogContext({ user: caller.user });
      return caller;
    },
    guard,
    unfinished,
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    onFault,
    card: () => ({
      name: options.name ?? "dt",
      description: options.description ?? "A coding agent that any client can drive and watch.",
      version: options.version ?? "0.1.0",
      url: url(),
      uris,
      isExtensionRequired,
      hasPush: pushes !== undefined,
    }),
  };
}

/** Fails closed: without an id, or as a promise, every caller would be one and the same user. */
function checkCaller(caller: Caller): Caller {
  const { user }: Partial<Caller> = caller ?? {};
  if (typeof user === "string" && user !== "") return caller;
  throw new Error("authenticate: expected a caller with a user, not a promise of one");
}

/** Everyone on this machine is one user with every right; the name is only for showing. */
function localCaller({ headers, url = "/" }: IncomingMessage): Caller {
  // In the query of a WebSocket's address too, since browsers cannot set its headers.
  const query = new URLSearchParams(url.split("?")[1]);
  const inAddress = [...query].find(([key]) => key.toLowerCase() === "x-dt-client")?.[1];
  const named = decodeName(one(headers["x-dt-client"])) ?? inAddress;
  const name = named?.replace(/[^\p{L}\p{M}\p{N}_ .@/()-]/gu, "").slice(0, 64);
  return { user: "local", name: distinctName(name || "local"), role: "admin" };
}

/** The person at the terminal of a live session goes by this name: nobody else does. */
function distinctName(name: string): string {
  return name.trim().toLowerCase() === "terminal" ? `${name.trim()} (client)` : name;
}

// A header carries no letters but ASCII's: others come percent-encoded.
function decodeName(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}
