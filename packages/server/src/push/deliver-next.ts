import type { ExtensionUris } from "@dt/schema";
import type { Dialects } from "@dt/schema/wire";
import type { Clock } from "../clock.js";
import { openTarget } from "../secrets/push-secrets.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import type { PushKey, PushProgress, PushRecord } from "../store/push-record.js";
import type { SessionStore } from "../store/session-store.js";
import { advancePush, type PushStep, type RetryPolicy } from "./advance-push.js";
import type { BodyCache } from "./body-cache.js";
import { buildHeaders } from "./delivery-headers.js";
import { findNextDelivery, type PushDelivery } from "./next-delivery.js";
import type { Poster, PostOutcome } from "./post-delivery.js";
import type { DeliverySubject } from "./queue/pending-call.js";

/** Options of {@link deliverNext}. */
export interface DeliverOptions {
  readonly store: SessionStore;
  readonly poster: Poster;
  readonly uris: ExtensionUris;
  readonly dialects: Dialects;
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly bodies: BodyCache;
  /** Key that signs the calls of configs without HMAC credentials. */
  readonly secret?: string | undefined;
  /** Opens tokens and credentials. */
  readonly vault: SecretVault;
  /** Time after which another instance may repeat an attempt. */
  readonly claimMs: number;
}

/** The result of {@link deliverNext}. */
export type DeliverResult =
  /** There was nothing to deliver now, the config was changed or deleted, or the worker is closing. */
  | { readonly type: "nothing" }
  /** Another instance makes an attempt now. */
  | { readonly type: "claimed" }
  /** The receiver had closed a reused connection, so nothing was delivered. */
  | { readonly type: "stale" }
  | FinishedCall;

/** A call that was answered or failed. */
export interface FinishedCall {
  readonly type: "called";
  readonly push: PushRecord;
  /** The progress of the config after the call. */
  readonly progress: PushProgress;
  readonly outcome: FinishedOutcome;
  readonly ms: number;
}

type FinishedOutcome = PostOutcome & { readonly type: "accepted" | "refused" };

/**
 * Delivers the next event or task of a config, if there is one. It records the start of a call, calls the receiver and
 * records the result. The position moves past a delivery only after the receiver has accepted it. A repeated call has
 * a higher attempt number, even if the process was killed between two of these steps.
 */
export async function deliverNext(
  { key, signal, onRead }: DeliverySubject,
  options: DeliverOptions,
): Promise<DeliverResult> {
  const { store, dialects, clock, retry, bodies } = options;
  const push = await findPush(key, store);
  if (push === undefined || !isDue(push.progress)) return { type: "nothing" };
  onRead(push);
  if (await hasLostAccess(push, { store, clock })) {
    await store.deletePush(key);
    return { type: "nothing" };
  }
  const next = await findNextDelivery(push, { store, dialects, bodies });
  if (next.type === "none") return { type: "nothing" };
  if (next.type === "skip") {
    await store.notePush(push, advancePush(push.progress, next));
    return { type: "nothing" };
  }
  const begun = advancePush(push.progress, { type: "begin" });
  if (signal.aborted) return { type: "nothing" };
  if (!(await store.notePush(push, begun, { ms: options.claimMs }))) {
    const now = await findPush(key, store);
    return { type: now?.revision === push.revision ? "claimed" : "nothing" };
  }
  const { delivery } = next;
  const startedAt = clock.elapsedMs();
  const outcome = await call(push, { delivery, attempt: begun.attempts, signal }, options);
  // The result of an aborted call is ignored, because the config was deleted or changed, or the worker is closing.
  if (signal.aborted) return { type: "nothing" };
  if (outcome.type === "stale") return { type: "stale" };
  const step = toStep(outcome, delivery.position, clock.now().getTime());
  const progress = advancePush(begun, step, retry);
  if (!(await store.notePush(push, progress))) return { type: "nothing" };
  return { type: "called", push, progress, outcome, ms: clock.elapsedMs() - startedAt };
}

/** Returns true if a config belongs to a user who is not the owner of the session and may no longer use the session. */
async function hasLostAccess(
  { contextId, target }: PushRecord,
  { store, clock }: Pick<DeliverOptions, "store" | "clock">,
): Promise<boolean> {
  if (target.user === undefined) return false;
  const key = { contextId, user: target.user };
  return (await store.findGrants([key], clock.now().toISOString())).length === 0;
}

/** One attempt at a delivery. */
interface Attempt {
  readonly delivery: PushDelivery;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/**
 * Calls the receiver. If the secrets of the config are lost, gives the config up, because no receiver would trust the
 * call.
 */
async function call(
  push: PushRecord,
  { delivery, attempt, signal }: Attempt,
  { poster, uris, clock, secret, vault }: DeliverOptions,
): Promise<PostOutcome> {
  const opened = openTarget(push.target, push, vault);
  if (opened.type === "lost") {
    const error = `the secret of this config ${opened.reason}; set the config again`;
    return { type: "refused", error, isFinal: true };
  }
  const { target } = opened;
  const now = clock.now().getTime();
  const facts = { target, uris, attempt, now, ...(secret !== undefined && { secret }) };
  const headers = buildHeaders(delivery, facts);
  return await poster.post({ url: target.url, headers, body: delivery.body, signal });
}

/** Finds a config in the store. */
export async function findPush(
  { taskId, configId }: PushKey,
  store: Pick<SessionStore, "listPushes">,
): Promise<PushRecord | undefined> {
  const pushes = await store.listPushes(taskId);
  return pushes.find((push) => push.configId === configId);
}

/** Returns false if a config is given up, or waits for its next attempt. */
export function isDue({ hasGivenUp, nextAttemptAt }: PushProgress): boolean {
  return !hasGivenUp && nextAttemptAt === undefined;
}

function toStep(outcome: FinishedOutcome, position: number, now: number): PushStep {
  if (outcome.type === "accepted") return { type: "deliver", position };
  const { error, isFinal, retryAfterMs } = outcome;
  return {
    type: "fail",
    error,
    isFinal,
    now,
    random: Math.random(),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
