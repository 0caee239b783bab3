import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { findA2aVersion } from "@dt/schema/wire";
import type { RequestHandler } from "express";
import { readVersionParameter } from "../access/source/version-parameter.js";
import { type AgentCardContent, buildAgentCard } from "./build-agent-card.js";

/**
 * Returns the content of the card for a request. The address in the card may be the address that the request
 * used, and is known only when the server listens.
 */
export type ReadCardContent = (request: Pick<IncomingMessage, "headers">) => AgentCardContent;

/**
 * `GET /.well-known/agent-card.json`, with an ETag for caches. A client that names A2A 1.0 gets a card with the fields
 * of that version only. Every other client gets a card that clients of both versions can read.
 */
export function agentCardRoute(content: ReadCardContent): RequestHandler {
  return (request, response) => {
    const version = findA2aVersion(readVersionParameter(request) ?? "") ?? "0.3";
    const body = JSON.stringify(buildAgentCard(content(request), version));
    response.vary("A2A-Version").vary("Accept");
    const tag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    response.setHeader("ETag", tag);
    response.setHeader("Cache-Control", "public, max-age=60");
    if (includesTag(request.header("If-None-Match"), tag)) {
      response.status(304).end();
      return;
    }
    if (!response.hasHeader("Content-Type")) response.type("application/json");
    response.send(body);
  };
}

// Returns true if an If-None-Match header lists a tag. Express's `fresh` is not used. It would never answer 304,
// because fetch adds `no-cache` to conditional requests.
function includesTag(header: string | undefined, tag: string): boolean {
  const tags = header?.split(",").map((each) => each.trim().replace(/^W\//, "")) ?? [];
  return tags.includes(tag) || tags.includes("*");
}
