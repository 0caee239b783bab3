import type { ExtensionUris } from "@dt/schema";
import type { PushKey, PushProgress, PushRecord } from "../store/push-record.js";
import type { SessionStore } from "../store/session-store.js";
import { advancePush, type PushStep, type RetryPolicy } from "./advance-push.js";
import type { KeptBodies } from "./body-cache.js";
import { buildHeaders } from "./delivery-headers.js";
import { findNextDelivery } from "./next-delivery.js";
import type { Poster, PostOutcome } from "./post-delivery.js";

/** What calls are made with. */
export interface CallerOptions {
  readonly store: SessionStore;
  readonly poster: Poster;
  readonly uris: ExtensionUris;
  readonly retry: RetryPolicy;
  readonly bodies: KeptBodies;
  /** Signs the calls of configs that bring no key of their own. */
  readonly secret?: string | undefined;
}

/** What came of looking whether a config is to be called. */
export type CallResult =
  /** There was nothing to tell, or nobody wants it told any more. */
  | { readonly type: "nothing" }
  /** The connection was gone; there is something to tell as before. */
  | { readonly type: "stale" }
  | Called;

/** A call that was made and answered, or not. */
export interface Called {
  readonly type: "called";
  readonly push: PushRecord;
  /** How the config stands after it. */
  readonly progress: PushProgress;
  readonly outcome: Verdict;
  readonly ms: number;
}

type Verdict = PostOutcome & { readonly type: "accepted" | "refused" };

/** A config that is looked at. */
export interface CallSubject {
  readonly key: PushKey;
  /** Aborts when the config was deleted or set anew, or when we stop. */
  readonly signal: AbortSignal;
  /** Told which setting of the config the call is made for. */
  onRead(push: PushRecord): void;
}

/**
 * Tells a config the next thing, if there is one: notes that a call begins, makes it, notes how it went.
 * Whatever stops us between two of these steps, the place does not move before the receiver has accepted,
 * and a call that may be a repeat has a number that says so.
 */
export async function callReceiver(
  { key, signal, onRead }: CallSubject,
  { store, poster, uris, retry, bodies, secret }: CallerOptions,
): Promise<CallResult> {
  const push = await findPush(key, store);
  if (push === undefined || !isDue(push.progress)) return { type: "nothing" };
  onRead(push);
  const next = await findNextDelivery(push, { store, uris, bodies });
  if (next.type === "none") return { type: "nothing" };
  if (next.type === "skip") {
    await store.notePush(push, advancePush(push.progress, next));
    return { type: "nothing" };
  }
  const begun = advancePush(push.progress, { type: "begin" });
  if (signal.aborted || !(await store.notePush(push, begun))) return { type: "nothing" };
  const { delivery } = next;
  const { url } = push.target;
  const headers = buildHeaders(delivery, {
    target: push.target,
    uris,
    attempt: begun.attempts,
    now: Date.now(),
    ...(secret !== undefined && { secret }),
  });
  const startedAt = performance.now();
  const outcome = await poster.post({ url, headers, body: delivery.body, signal });
  // What became of a call that nobody wants any more is nobody's concern.
  if (signal.aborted) return { type: "nothing" };
  if (outcome.type === "stale") return { type: "stale" };
  const progress = advancePush(begun, toStep(outcome, delivery.place), retry);
  if (!(await store.notePush(push, progress))) return { type: "nothing" };
  return { type: "called", push, progress, outcome, ms: performance.now() - startedAt };
}

/** A config as the store has it now. */
export async function findPush(
  { taskId, configId }: PushKey,
  store: Pick<SessionStore, "listPushes">,
): Promise<PushRecord | undefined> {
  const pushes = await store.listPushes(taskId);
  return pushes.find((push) => push.configId === configId);
}

/** Whether a config may be called now: it is not given up, and does not wait for its time. */
export function isDue({ hasGivenUp, nextAttemptAt }: PushProgress): boolean {
  return !hasGivenUp && nextAttemptAt === undefined;
}

function toStep(outcome: Verdict, place: number): PushStep {
  if (outcome.type === "accepted") return { type: "deliver", place };
  const { error, isFinal, retryAfterMs } = outcome;
  return {
    type: "fail",
    error,
    isFinal,
    now: Date.now(),
    random: Math.random(),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
