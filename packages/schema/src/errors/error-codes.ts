/**
 * Reasons for refusing a request. Each reason has a JSON-RPC code, an HTTP status, and a flag that tells
 * whether the same request may succeed later.
 *
 * The list is closed, because a new reason is a change of the protocol. JSON-RPC owns the numbers -32700 to
 * -32600, and A2A owns -32001 to -32009. Our numbers are -32050 and lower.
 */
export const ERROR_CODES = {
  "parse-error": { jsonRpc: -32700, http: 400, retryable: false },
  "invalid-request": { jsonRpc: -32600, http: 400, retryable: false },
  "method-not-found": { jsonRpc: -32601, http: 404, retryable: false },
  "invalid-message": { jsonRpc: -32602, http: 400, retryable: false },
  internal: { jsonRpc: -32603, http: 500, retryable: false },
  "task-not-found": { jsonRpc: -32001, http: 404, retryable: false },
  "task-not-cancelable": { jsonRpc: -32002, http: 409, retryable: false },
  "push-not-supported": { jsonRpc: -32003, http: 501, retryable: false },
  "unsupported-operation": { jsonRpc: -32004, http: 409, retryable: false },
  "content-type-not-supported": { jsonRpc: -32005, http: 415, retryable: false },
  "extended-card-not-configured": { jsonRpc: -32007, http: 404, retryable: false },
  "extension-required": { jsonRpc: -32008, http: 400, retryable: false },
  "version-not-supported": { jsonRpc: -32009, http: 400, retryable: false },
  "confirmation-closed": { jsonRpc: -32050, http: 409, retryable: false },
  "agent-busy": { jsonRpc: -32051, http: 503, retryable: true },
  "confirmation-not-found": { jsonRpc: -32052, http: 404, retryable: false },
  "workspace-refused": { jsonRpc: -32053, http: 403, retryable: false },
  "too-large": { jsonRpc: -32054, http: 413, retryable: false },
  forbidden: { jsonRpc: -32055, http: 403, retryable: false },
  "cursor-not-found": { jsonRpc: -32056, http: 410, retryable: false },
  unauthenticated: { jsonRpc: -32057, http: 401, retryable: false },
  "rate-limited": { jsonRpc: -32058, http: 429, retryable: true },
} as const satisfies Record<string, { jsonRpc: number; http: number; retryable: boolean }>;

/** The name of a reason in {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Finds the reason behind a JSON-RPC number; undefined for a number that is not listed. */
export function findErrorCode(jsonRpc: number): ErrorCode | undefined {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return codes.find((code) => ERROR_CODES[code].jsonRpc === jsonRpc);
}
