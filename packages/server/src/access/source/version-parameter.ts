import type { IncomingMessage } from "node:http";

/**
 * Reads the A2A version from the header or the URL of a request; undefined if the request has no version. Names of
 * service parameters are not case-sensitive. (A2A 1.0 §3.2.6, §3.6.1)
 */
export function readVersionParameter({ headers, url = "/" }: IncomingMessage): string | undefined {
  const inHeader = headers["a2a-version"];
  if (inHeader !== undefined && inHeader !== "") return String(inHeader);
  const query = new URLSearchParams(url.split("?")[1]);
  const found = [...query].find(([key]) => key.toLowerCase() === "a2a-version");
  return found?.[1] || undefined;
}
