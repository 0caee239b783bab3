import { ModelError } from "../model.js";

/** What a failed try tells about the next one. */
export interface ModelFailureOptions extends ErrorOptions {
  /** Whether the same request may do better in a moment. */
  readonly isTransient: boolean;
  /** How long the vendor asks to be left alone. */
  readonly retryAfterMs?: number;
}

/** Why one try gave no answer, and whether another may. */
export class ModelFailure extends ModelError {
  readonly isTransient: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { isTransient, retryAfterMs, cause }: ModelFailureOptions) {
    super(message, { cause });
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
  }
}
