import { joinTexts } from "../join-texts.js";
import { type Model, ModelError, type ModelRequest } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { abortableSleep, type Sleep } from "./abortable-sleep.js";
import { streamAttemptWithin } from "./attempt-limit.js";
import { ModelFailure } from "./model-failure.js";
import { createRetriedReply } from "./retried-reply.js";
import { DEFAULT_RETRY_SCHEDULE, type RetrySchedule, retryDelayMs } from "./retry-schedule.js";

/** Options of {@link withRetries}. */
export interface RetryOptions {
  readonly schedule?: RetrySchedule;
  /** Waits between attempts. Tests replace this function. */
  readonly sleep?: Sleep;
  /** Returns a number from 0 up to 1. Tests replace this function. */
  readonly random?: () => number;
}

/**
 * Wraps a model with retries. Each retry is announced by a notice before its wait.
 *
 * Text is not shown twice. If an attempt breaks off in the middle of its text, the next request contains
 * that text and asks for the rest.
 */
export function withRetries(model: BatchModel, options: RetryOptions = {}): Model {
  return {
    ...model,
    limitsAttempts: true,
    stream: (request) => flatten(streamWithRetries(model, request, options)),
  };
}

/** A model that streams parts in batches, because each step of an async iteration costs time. */
export interface BatchModel extends Omit<Model, "stream"> {
  stream(request: ModelRequest): AsyncIterable<readonly ModelPart[]>;
}

async function* flatten(batches: AsyncIterable<readonly ModelPart[]>): AsyncGenerator<ModelPart> {
  for await (const batch of batches) for (const part of joinTexts(batch)) yield part;
}

async function* streamWithRetries(
  model: BatchModel,
  request: ModelRequest,
  options: RetryOptions,
): AsyncGenerator<readonly ModelPart[]> {
  const { schedule = DEFAULT_RETRY_SCHEDULE, random = Math.random } = options;
  const wait = options.sleep ?? abortableSleep;
  const reply = createRetriedReply();
  for (let attempt = 1; !request.signal.aborted; attempt += 1) {
    const failure = yield* streamAttempt(
      model,
      askForRest(request, reply.text),
      reply.openAttempt(),
    );
    if (failure === undefined || request.signal.aborted) return;
    const { retryAfterMs } = failure;
    const delayMs = failure.isTransient
      ? retryDelayMs({ attempt, retryAfterMs, random: random() }, schedule)
      : undefined;
    if (delayMs === undefined) throw toFinalError(failure, attempt);
    const text = `${failure.message}; trying again in ${formatSeconds(delayMs)} (${attempt + 1} of ${schedule.maxAttempts})`;
    yield [{ type: "notice", text }];
    await wait(delayMs, request.signal);
  }
}

/** Streams one attempt. Returns a `ModelFailure`, or undefined after a success or an abort. */
async function* streamAttempt(
  model: BatchModel,
  request: ModelRequest,
  { push, finish }: ReturnType<ReturnType<typeof createRetriedReply>["openAttempt"]>,
): AsyncGenerator<readonly ModelPart[], ModelFailure | undefined> {
  try {
    for await (const batch of streamAttemptWithin((limited) => model.stream(limited), request)) {
      yield batch.flatMap(push);
    }
    if (!request.signal.aborted) yield finish();
    return undefined;
  } catch (reason) {
    if (request.signal.aborted) return undefined;
    if (reason instanceof ModelFailure) return reason;
    throw reason;
  }
}

function askForRest(request: ModelRequest, said: string): ModelRequest {
  if (said.trim() === "") return request;
  const rest = "Your answer broke off here. Go on exactly where it stopped and repeat nothing.";
  return {
    ...request,
    history: [
      ...request.history,
      { role: "model", parts: [{ type: "text", text: said }] },
      { role: "user", parts: [{ type: "text", text: rest }] },
    ],
  };
}

function toFinalError(failure: ModelFailure, attempt: number): ModelError {
  const { message, retryAfterMs, isTransient } = failure;
  if (attempt > 1) return new ModelError(`${message} (${attempt} attempts)`, { cause: failure });
  if (!isTransient || retryAfterMs === undefined) return failure;
  return new ModelError(`${message}; it asks to wait ${formatSeconds(retryAfterMs)}`, {
    cause: failure,
  });
}

function formatSeconds(ms: number): string {
  return ms < 10_000 ? `${Number((ms / 1000).toFixed(1))} s` : `${Math.round(ms / 1000)} s`;
}
