import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Caller, DEFAULT_EXTENSION_URIS } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { DEFAULT_LIMITS } from "../access/limits/limits.js";
import { createStreamLimit } from "../access/limits/stream-limit.js";
import type { AgentCardContent } from "../agent-card/build-agent-card.js";
import { toClock } from "../clock.js";
import { firstValue } from "../http/call-info.js";
import type { HttpAppOptions } from "../http/create-http-app.js";
import { addLogContext } from "../logging/log-context.js";
import { createSharedSnapshots } from "../rpc/frames/shared-snapshots.js";
import { DEFAULT_INPUT_MODES } from "../rpc/messages/check-input-modes.js";
import { createInFlight } from "../rpc/messages/in-flight.js";
import type { ServerOptions } from "./server-options.js";

/** Default of the maximum size of a body. */
export const DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Converts the options of a server to those of its HTTP and WebSocket routes. */
export function toHttpOptions(
  options: ServerOptions,
  parts: Pick<HttpAppOptions, "guard" | "onFault" | "unfinished"> &
    Pick<HttpAppOptions["services"], "stopping"> & {
      /** Addresses that are known once the server listens. */
      readonly addresses: Readonly<Pick<AgentCardContent, "url" | "grpcAddress">>;
      countClients(): number;
    },
): HttpAppOptions {
  const { uris = DEFAULT_EXTENSION_URIS, isExtensionRequired = false } = options;
  const { sessions, credentials, pushes } = options;
  const { stopping, guard, unfinished, onFault, addresses, countClients } = parts;
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
        options.limits?.maxStreamsPerPrincipal ?? DEFAULT_LIMITS.maxStreamsPerPrincipal,
      ),
      ...(options.metrics !== undefined && { metrics: options.metrics }),
      ...(options.listCommands !== undefined && { listCommands: options.listCommands }),
      workspaceRoots: options.workspaceRoots,
      defaultSettings: options.defaultSettings,
      createId: randomUUID,
      clock: toClock(options),
      isExtensionRequired,
      ...(options.inputModes !== undefined && { inputModes: options.inputModes }),
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
      url: addresses.url,
      grpcAddress: addresses.grpcAddress,
      uris,
      isExtensionRequired,
      inputModes: options.inputModes ?? DEFAULT_INPUT_MODES,
      outputModes: options.outputModes,
      skills: options.skills,
      hasPush: pushes !== undefined,
    }),
  };
}

/** Throws if `authenticate` returned a promise or no user. Without this check, all such callers would be one user. */
function checkCaller(caller: Caller): Caller {
  const { user }: Partial<Caller> = caller ?? {};
  if (typeof user === "string" && user !== "") return caller;
  throw new Error("authenticate: expected a caller with a user; it must not return a promise");
}

/** Returns the caller of a local request, which is always the same user with all rights. The name is for display. */
function localCaller({ headers, url = "/" }: IncomingMessage): Caller {
  // The name may also be in the query of the URL, because browsers cannot set the headers of a WebSocket.
  const query = new URLSearchParams(url.split("?")[1]);
  const inAddress = [...query].find(([key]) => key.toLowerCase() === "x-dt-client")?.[1];
  const named = decodeName(firstValue(headers["x-dt-client"])) ?? inAddress;
  const name = named?.replace(/[^\p{L}\p{M}\p{N}_ .@/()-]/gu, "").slice(0, 64);
  return { user: "local", name: distinctName(name || "local"), role: "admin" };
}

/** Changes the name "terminal", so that a client cannot look like the terminal of a live session. */
function distinctName(name: string): string {
  return name.trim().toLowerCase() === "terminal" ? `${name.trim()} (client)` : name;
}

// Decodes the name of a client. Headers are ASCII, so other letters are percent-encoded.
function decodeName(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}
