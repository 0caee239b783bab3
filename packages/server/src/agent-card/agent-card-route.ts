import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { type AgentCardContent, buildAgentCard } from "./build-agent-card.js";

/** What the card says; its address is known once the server listens. */
export type AgentCardOptions = () => AgentCardContent;

/** `GET /.well-known/agent-card.json`, with what a cache needs. */
export function agentCardRoute(content: AgentCardOptions): RequestHandler {
  return (request, response) => {
    const body = JSON.stringify(buildAgentCard(content()));
    const tag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    response.setHeader("ETag", tag);
    response.setHeader("Cache-Control", "public, max-age=60");
    if (holdsTag(request.header("If-None-Match"), tag)) {
      response.status(304).end();
      return;
    }
    response.type("application/json").send(body);
  };
}

// Not Express's `fresh`: fetch sends `no-cache` with every condition, and a 304 is what it asks for.
function holdsTag(header: string | undefined, tag: string): boolean {
  const held = header?.split(",").map((each) => each.trim().replace(/^W\//, "")) ?? [];
  return held.includes(tag) || held.includes("*");
}
