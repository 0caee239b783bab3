import type { ErrorDetails } from "@dt/schema";

/**
 * Why a tool could not do what was asked, for the model and the user.
 *
 * Becomes the `ErrorDetails` of a FAILED call; the session goes on.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  /** What went wrong, as a word that a program can branch on, e.g. `file_changed`. */
  readonly type: string;
  readonly statusCode: number | undefined;

  constructor(type: string, message: string, options: ErrorOptions & { statusCode?: number } = {}) {
    super(message, options);
    this.type = type;
    this.statusCode = options.statusCode;
  }
}

/** Anything thrown by a tool → what its call shows. */
export function toErrorDetails(reason: unknown): ErrorDetails {
  if (reason instanceof ToolError) {
    return {
      message: reason.message,
      type: reason.type,
      ...(reason.statusCode !== undefined && { statusCode: reason.statusCode }),
    };
  }
  const message = reason instanceof Error ? reason.message : String(reason);
  return { message, type: "tool_fault" };
}
