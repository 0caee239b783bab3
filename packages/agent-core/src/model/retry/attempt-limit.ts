import type { ModelRequest } from "../model.js";
import type { ModelPart } from "../model-part.js";

/** Limits attempts at a reply. Each attempt is a call that the vendor charges for. */
export interface AttemptLimit {
  /** Opens an attempt before its call. Rejects if the call must not be made. */
  open(request: ModelRequest): Promise<LimitedAttempt>;
}

/** An attempt that may be made. */
export interface LimitedAttempt {
  readonly maxOutputTokens: number;
  /** Text to show before the attempt. */
  readonly notice?: string | undefined;
  /** Counts a part of the reply. */
  note(part: ModelPart): void;
  /** Ends the attempt and settles what it used. */
  close(outcome: { readonly isFailed: boolean }): Promise<void>;
}

/** Streams one attempt. If the request has an `attemptLimit`, the limit opens, counts and closes the attempt. */
export async function* streamAttemptWithin(
  stream: (request: ModelRequest) => AsyncIterable<readonly ModelPart[]>,
  { attemptLimit, ...request }: ModelRequest,
): AsyncGenerator<readonly ModelPart[]> {
  if (attemptLimit === undefined) {
    yield* stream(request);
    return;
  }
  const attempt = await attemptLimit.open(request);
  const { maxOutputTokens, notice } = attempt;
  let isFailed = false;
  try {
    if (notice !== undefined) yield [{ type: "notice", text: notice }];
    for await (const batch of stream({ ...request, maxOutputTokens })) {
      for (const part of batch) attempt.note(part);
      yield batch;
    }
  } catch (reason) {
    isFailed = true;
    throw reason;
  } finally {
    await attempt.close({ isFailed });
  }
}
