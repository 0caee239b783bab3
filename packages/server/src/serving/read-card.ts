import type { IncomingMessage } from "node:http";
import { type Caller, DEFAULT_EXTENSION_URIS, type JsonObject } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import type { ReadCardContent } from "../agent-card/agent-card-route.js";
import { type AgentCardContent, buildAgentCard } from "../agent-card/build-agent-card.js";
import { DEFAULT_INPUT_MODES } from "../rpc/messages/check-input-modes.js";
import { requiresAuth } from "./requires-auth.js";
import type { ServerOptions } from "./server-options.js";

type Addresses = Pick<AgentCardContent, "url" | "grpcAddress">;

/**
 * Returns true if clients must authenticate, with a token or in another way that the option `authenticate`
 * accepts.
 */
export function needsToken(options: ServerOptions): boolean {
  return options.authenticate !== undefined || requiresAuth(options);
}

/** Creates the function that reads the content of the card. */
export function createCardReader(
  options: ServerOptions,
  listening: Readonly<Addresses>,
): ReadCardContent {
  return (request) => ({
    name: options.name ?? "dt",
    description: options.description ?? "A coding agent that any client can drive and watch.",
    version: options.version ?? "0.1.0",
    ...reachableAt(options, listening, request),
    uris: options.uris ?? DEFAULT_EXTENSION_URIS,
    isExtensionRequired: options.isExtensionRequired ?? false,
    inputModes: options.inputModes ?? DEFAULT_INPUT_MODES,
    outputModes: options.outputModes,
    skills: options.skills,
    hasPush: options.pushes !== undefined,
    requiresToken: needsToken(options),
    policy: options.policy,
  });
}

/** Creates the function that builds extended cards. */
export function createExtendedCard(
  read: ReadCardContent,
): (caller: Caller, version: A2aVersion, request: Pick<IncomingMessage, "headers">) => JsonObject {
  return (caller, version, request) => buildAgentCard({ ...read(request), caller }, version);
}

/**
 * Finds addresses that clients can reach: the public address, or else the address that the server listens on.
 * Clients cannot connect to 0.0.0.0 or ::, so in these cases the card has the host of the request's `Host` header.
 * The header can be trusted, because requests with a host that is not allowed were refused before.
 */
function reachableAt(
  { host = "127.0.0.1", publicUrl }: ServerOptions,
  { url, grpcAddress }: Addresses,
  { headers }: Pick<IncomingMessage, "headers">,
): Addresses {
  const isEverywhere = ["0.0.0.0", "::"].includes(host);
  if (publicUrl === undefined && !isEverywhere) return { url, grpcAddress };
  const used = new URL(publicUrl ?? url);
  if (publicUrl === undefined && headers.host !== undefined) used.host = headers.host;
  const grpcPort = grpcAddress?.slice(grpcAddress.lastIndexOf(":"));
  return {
    url: used.href.endsWith("/") ? used.href : `${used.href}/`,
    grpcAddress: grpcPort && `${used.hostname}${grpcPort}`,
  };
}
