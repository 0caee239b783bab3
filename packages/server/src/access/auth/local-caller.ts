import type { IncomingMessage } from "node:http";
import type { Caller } from "@dt/schema";

/**
 * Returns the caller of a local request: the local user, with all rights. The client chooses the name, for display
 * only.
 */
export function findLocalCaller({ headers, url = "/" }: IncomingMessage): Caller {
  // The name may also be in the query of the URL, because browsers cannot set the headers of a WebSocket.
  const query = new URLSearchParams(url.split("?")[1]);
  const inAddress = [...query].find(([key]) => key.toLowerCase() === "x-dt-client")?.[1];
  const named = decodeName(headers["x-dt-client"]?.toString()) ?? inAddress;
  const name = named?.replace(/[^\p{L}\p{M}\p{N}_ .@/()-]/gu, "").slice(0, 64);
  return { user: "local", name: distinctName(name || "local"), role: "admin" };
}

/** Changes the name "terminal", so that a client cannot look like the terminal of a live session. */
function distinctName(name: string): string {
  return name.trim().toLowerCase() === "terminal" ? `${name.trim()} (client)` : name;
}

// Clients percent-encode the name, because a header contains only ASCII.
function decodeName(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}
