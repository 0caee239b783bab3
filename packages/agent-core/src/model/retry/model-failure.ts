import { ModelError } from "../model.js";

/** Details of a failed attempt that decide about a retry. */
export interface ModelFailureOptions extends ErrorOptions {
  /** True if the same request may succeed later. */
  readonly isTransient: boolean;
  /** Wait that the vendor asks for. */
  readonly retryAfterMs?: number;
}

/** Thrown if one attempt to get a reply failed; says whether a retry may help. */
export class ModelFailure extends ModelError {
  readonly isTransient: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { isTransient, retryAfterMs, cause }: ModelFailureOptions) {
    super(message, { cause });
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
  }
}
