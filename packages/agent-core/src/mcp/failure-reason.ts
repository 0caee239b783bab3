import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const MAX_REASON_LENGTH = 500;

/** Describes an error in one short text. An HTTP error is described by its status. */
export function reasonOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  // The body of an error status is often a whole web page, so only the status is shown.
  if (reason instanceof StreamableHTTPError && (reason.code ?? -1) > 0) {
    return `it answered with status ${reason.code}`;
  }
  // The message of fetch itself is only "fetch failed", so the message of the cause is used.
  const cause = reason.cause instanceof Error ? reason.cause : reason;
  const { code } = cause as NodeJS.ErrnoException;
  const text = cause.message || (typeof code === "string" ? code : reason.message);
  return text.replace(/^MCP error -?\d+: /, "").slice(0, MAX_REASON_LENGTH);
}

/** Returns true if an answer could not be parsed: not JSON, not JSON-RPC, or not a result. */
export function isBadAnswer(reason: unknown): boolean {
  return (
    reason instanceof SyntaxError || (reason instanceof Error && /ZodError$/.test(reason.name))
  );
}
