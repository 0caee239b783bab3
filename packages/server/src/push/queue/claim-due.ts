import type { PushRecord } from "../../store/push-record.js";
import type { PushStore } from "../../store/push-store.js";
import { createAlarm } from "./alarm.js";

/** Claims configs from the store when their next attempt is due. This process then calls their receivers. */
export interface DueClaims {
  /** Claims the configs that are due now. */
  claim(): Promise<void>;
  /** Schedules a claim for this time (ms). Does nothing if an earlier claim is scheduled. */
  setFor(at: number): void;
  /** Records that configs wait in the store only because there is no room in memory. */
  markWaitingForRoom(): void;
  /** Schedules a claim if configs wait for room and there is room now. */
  claimIfRoom(): void;
  close(): void;
}

/** Options of {@link createDueClaims}. */
export interface DueClaimsOptions {
  readonly store: Pick<PushStore, "claimPushes" | "countWaitingPushes">;
  /** The one session whose configs are claimed; undefined for all sessions. */
  readonly contextId: string | undefined;
  /** The wall clock. */
  now(): Date;
  /** Number of configs for which there is room in memory. */
  room(): number;
  /** Called with the configs that are due. */
  onDue(pushes: readonly PushRecord[]): void;
  /** Called when next attempts may be due. It should call {@link DueClaims.claim}. */
  onClaimDue(): void;
  onFault(reason: unknown): void;
}

/** Maximum number of configs in one claim. */
const MAX_CLAIMED = 256;
/** Time until the next claim after a fault, or if there is no room. */
const RETRY_MS = 1_000;
/** Minimum time until the next claim, even if more configs are due than one claim may return. */
const NEXT_CLAIM_MS = 10;

/** Creates claims on a store. Nothing is claimed before the first {@link DueClaims.claim}. */
export function createDueClaims(options: DueClaimsOptions): DueClaims {
  const { store, contextId, now, room, onDue, onClaimDue, onFault } = options;
  const nowMs = () => now().getTime();
  const alarm = createAlarm(onClaimDue, nowMs);
  let isWaitingForRoom = false;

  return {
    async claim() {
      try {
        const limit = Math.min(room(), MAX_CLAIMED);
        onDue(await store.claimPushes({ now: now().toISOString(), limit, contextId }));
        const { nextAt } = await store.countWaitingPushes({ contextId });
        const at = nextAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(nextAt);
        isWaitingForRoom = at <= nowMs() && room() === 0;
        alarm.setFor(Math.max(at, nowMs() + (isWaitingForRoom ? RETRY_MS : NEXT_CLAIM_MS)));
      } catch (reason) {
        onFault(reason);
        alarm.setFor(nowMs() + RETRY_MS);
      }
    },
    setFor: (at) => alarm.setFor(at),
    markWaitingForRoom() {
      isWaitingForRoom = true;
      alarm.setFor(nowMs() + RETRY_MS);
    },
    claimIfRoom() {
      if (isWaitingForRoom && room() > 0) alarm.setFor(nowMs());
    },
    close: () => alarm.close(),
  };
}
