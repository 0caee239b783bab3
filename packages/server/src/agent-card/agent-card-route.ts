import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { type AgentCardContent, buildAgentCard } from "./build-agent-card.js";

/** Returns the content of the card. It is a function, because the URL is known only when the server listens. */
export type ReadCardContent = () => AgentCardContent;

/** `GET /.well-known/agent-card.json`, with an ETag for caches. */
export function agentCardRoute(content: ReadCardContent): RequestHandler {
  return (request, response) => {
    const body = JSON.stringify(buildAgentCard(content()));
    const tag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    response.setHeader("ETag", tag);
    response.setHeader("Cache-Control", "public, max-age=60");
    if (includesTag(request.header("If-None-Match"), tag)) {
      response.status(304).end();
      return;
    }
    response.type("application/json").send(body);
  };
}

// Express's `fresh` is not used. It would never answer 304, because fetch adds `no-cache` to conditional requests.
function includesTag(header: string | undefined, tag: string): boolean {
  const tags = header?.split(",").map((each) => each.trim().replace(/^W\//, "")) ?? [];
  return tags.includes(tag) || tags.includes("*");
}
