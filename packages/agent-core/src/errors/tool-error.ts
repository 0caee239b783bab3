import type { ErrorDetails } from "@dt/schema";

/**
 * The reason why a tool failed, for the model and the user.
 *
 * The error becomes the `ErrorDetails` of a FAILED call, and the session continues.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  /** A code that programs can branch on, e.g. `file_changed`. */
  readonly type: string;
  readonly statusCode: number | undefined;

  constructor(type: string, message: string, options: ErrorOptions & { statusCode?: number } = {}) {
    super(message, options);
    this.type = type;
    this.statusCode = options.statusCode;
  }
}

/** Converts anything that a tool threw into the error of its call. */
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
