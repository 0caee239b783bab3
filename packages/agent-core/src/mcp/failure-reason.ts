import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const longestReason = 500;

/** Why something failed, as a person can use it. */
export function reasonOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  // The page that comes with an error status says too much, and it is not for us.
  if (reason instanceof StreamableHTTPError && (reason.code ?? -1) > 0) {
    return `it answered with status ${reason.code}`;
  }
  // "fetch failed" says nothing; its cause does.
  const cause = reason.cause instanceof Error ? reason.cause : reason;
  const { code } = cause as NodeJS.ErrnoException;
  const text = cause.message || (typeof code === "string" ? code : reason.message);
  return text.replace(/^MCP error -?\d+: /, "").slice(0, longestReason);
}

/** Whether what failed is the understanding of an answer: not JSON, not JSON-RPC, not a result. */
export function isBadAnswer(reason: unknown): boolean {
  return (
    reason instanceof SyntaxError || (reason instanceof Error && /ZodError$/.test(reason.name))
  );
}
