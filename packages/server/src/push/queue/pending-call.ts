import { withLogContext } from "../../logging/log-context.js";
import type { PushKey, PushRecord } from "../../store/push-record.js";
import type { FinishStep } from "./advance-pending.js";
import { MAX_TIMER_MS } from "./alarm.js";
import type { ConfigRef } from "./config-ref.js";
import type { Standing } from "./delivery-limits.js";

/** One delivery to the receiver of a config. */
export interface DeliverySubject {
  readonly key: PushKey;
  /** Aborts when the config was deleted or changed, or when the deliveries close. */
  readonly signal: AbortSignal;
  /** Must be called with the stored config before the receiver is called. */
  onRead(push: Pick<PushRecord, "revision">): void;
}

/** The result of a delivery. */
export interface Delivered {
  readonly step: FinishStep;
  /** Absent if the delivery did not show whether the receiver answers. */
  readonly standing?: Standing;
}

/** A call that is under way. */
export interface PendingCall {
  /** The revision of the config; undefined until the config is read. */
  readonly revision: string | undefined;
  /** Resolves when the call has ended. */
  readonly done: Promise<void>;
  abort(): void;
}

/** Options of {@link startCall}. */
export interface PendingCallOptions {
  /** Time after which a call is slow. */
  readonly slowMs: number;
  /** Delivers the next event or task of a config, if there is one. Never rejects. */
  deliver(subject: DeliverySubject): Promise<Delivered>;
  /** Called if the call is slow. */
  onSlow(): void;
  onEnd(delivered: Delivered): void;
}

/** Starts the call of a config. */
export function startCall(
  config: ConfigRef,
  { slowMs, deliver, onSlow, onEnd }: PendingCallOptions,
): PendingCall {
  const { contextId, taskId } = config;
  const controller = new AbortController();
  const timer = setTimer(slowMs, onSlow);
  let revision: string | undefined;
  const subject: DeliverySubject = {
    key: config,
    signal: controller.signal,
    onRead(push) {
      revision = push.revision;
    },
  };
  const done = withLogContext({ contextId, taskId }, () => deliver(subject)).then((delivered) => {
    clearTimeout(timer);
    onEnd(delivered);
  });
  return {
    get revision() {
      return revision;
    },
    done,
    abort: () => controller.abort(),
  };
}

/** Sets a timer that does not keep the process alive. */
export function setTimer(ms: number, onTime: () => void): NodeJS.Timeout {
  return setTimeout(onTime, Math.min(Math.max(ms, 0), MAX_TIMER_MS)).unref();
}
