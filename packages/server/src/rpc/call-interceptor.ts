import { isProtocolError } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import type { Context } from "@opentelemetry/api";
import { checkRole } from "../access/auth/role-table.js";
import { recordRefusal } from "../audit/record-refusal.js";
import type { CallLifetime } from "./call-lifetime.js";
import type { RpcContext, RpcOutcome } from "./rpc-context.js";
import { traceCall } from "./trace-call.js";

/** A call, as interceptors get it. */
export interface InterceptedCall {
  /** Name of the operation in metrics and traces. */
  readonly operation: string;
  readonly version: A2aVersion;
  readonly isStreaming: boolean;
  readonly context: RpcContext;
  /** The trace that the caller's request belongs to. */
  readonly trace: Context;
  readonly lifetime: CallLifetime;
}

type Run = () => Promise<RpcOutcome>;

/** Wraps the run of a call, for example to measure or to limit it. */
export type CallInterceptor = (call: InterceptedCall, next: Run) => Promise<RpcOutcome>;

/** Runs a call through interceptors. The first one runs first. */
export function interceptCall(
  call: InterceptedCall,
  interceptors: readonly CallInterceptor[],
  run: Run,
): Promise<RpcOutcome> {
  const wrapped = interceptors.reduceRight<Run>(
    (next, interceptor) => () => interceptor(call, next),
    run,
  );
  return wrapped();
}

/** Measures the time until a call is answered or its stream begins. */
export const measure: CallInterceptor = async ({ operation, version, context }, next) => {
  const { metrics, clock } = context;
  if (metrics === undefined) return await next();
  const startedAt = clock.elapsedMs();
  let outcome = "ok";
  try {
    return await next();
  } catch (reason) {
    outcome = isProtocolError(reason) ? reason.code : "internal";
    throw reason;
  } finally {
    const seconds = (clock.elapsedMs() - startedAt) / 1_000;
    metrics.callAnswered({ operation, version, outcome, seconds });
  }
};

/** Runs a call as a span of the caller's trace. */
export const trace: CallInterceptor = ({ operation, version, trace: parent }, next) =>
  traceCall({ operation, version, parent }, next);

/** Records a refused call in the audit. */
export const auditRefusals: CallInterceptor = async ({ operation, context }, next) => {
  const { audit, caller } = context;
  try {
    return await next();
  } catch (reason) {
    const { user, name } = caller;
    if (audit !== undefined) recordRefusal(reason, { user, name, subject: operation }, audit);
    throw reason;
  }
};

/** Refuses a call that the role of the caller does not allow, before the call does anything. */
export const authorize: CallInterceptor = async ({ context }, next) => {
  checkRole(context.caller, context.right);
  return await next();
};

/** Ends a call with an error when the access of its caller ends. The signal of the call aborts at the same time. */
export const endWithAccess: CallInterceptor = async ({ lifetime }, next) => {
  try {
    const outcome = await next();
    if (outcome.type === "stream") return { ...outcome, batches: throwAtEnd(outcome, lifetime) };
    lifetime.close();
    return outcome;
  } catch (reason) {
    lifetime.close();
    // If the access has ended, this error is only a consequence, so the end of the access is reported instead.
    lifetime.checkAccess();
    throw reason;
  }
};

async function* throwAtEnd({ batches }: RpcOutcome & { type: "stream" }, lifetime: CallLifetime) {
  try {
    yield* batches;
    lifetime.checkAccess();
  } finally {
    lifetime.close();
  }
}

/** Limits the streams of a user. The message of a refused stream is not delivered; it can be sent again. */
export const limitStreams: CallInterceptor = async ({ isStreaming, context }, next) => {
  if (!isStreaming) return await next();
  const release = context.streams?.open(context.caller.user) ?? (() => {});
  context.signal.addEventListener("abort", release);
  try {
    const outcome = await next();
    if (outcome.type === "stream") return { ...outcome, batches: releaseAtEnd(outcome, release) };
    release();
    return outcome;
  } catch (reason) {
    release();
    throw reason;
  }
};

/** Tracks calls without a stream, because a stopping server waits until they are answered. */
export const track: CallInterceptor = ({ isStreaming, context }, next) =>
  isStreaming ? next() : context.stopping.track(next());

async function* releaseAtEnd({ batches }: RpcOutcome & { type: "stream" }, release: () => void) {
  try {
    yield* batches;
  } finally {
    release();
  }
}
