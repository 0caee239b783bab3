import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { type AgentCardContent, buildAgentCard } from "./build-agent-card.js";

/** Returns the content of the card. A function, because the URL is known only when the server listens. */
export type AgentCardOptions = () => AgentCardContent;

/** `GET /.well-known/agent-card.json`, with an ETag for caches. */
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

// Express's `fresh` is not used: fetch adds `no-cache` to conditional requests, and `fresh` would never answer 304.
function holdsTag(header: string | undefined, tag: string): boolean {
  const held = header?.split(",").map((each) => each.trim().replace(/^W\//, "")) ?? [];
  return held.includes(tag) || held.includes("*");
}
