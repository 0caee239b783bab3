import type { PushRecord } from "../../store/push-record.js";
import type { PushStore } from "../../store/push-store.js";
import { createAlarm } from "./alarm.js";

/** Claims configs from the store when their next attempt is due. */
export interface DueClaims {
  /** Claims the configs that are due now. */
  claim(): Promise<void>;
  /** Claims no later than this time (ms). */
  setFor(at: number): void;
  /** Records that configs wait in the store only because there is no room in memory. */
  fallBehind(): void;
  /** Claims again if configs wait for room and there is some. */
  catchUp(): void;
  close(): void;
}

/** Options of {@link createDueClaims}. */
export interface DueClaimsOptions {
  readonly store: Pick<PushStore, "claimPushes" | "countWaitingPushes">;
  /** The one session whose configs are claimed; undefined for all sessions. */
  readonly contextId: string | undefined;
  /** The wall clock. */
  now(): Date;
  /** Number of configs that may be claimed. */
  room(): number;
  /** Called with the configs that are due. */
  onDue(pushes: readonly PushRecord[]): void;
  /** Called when it is time to claim. */
  onRing(): void;
  onFault(reason: unknown): void;
}

/** Number of configs in one claim. */
const MAX_CLAIMED = 256;
/** Times until the next claim: after a fault or without room, and if more configs are due. */
const AGAIN_MS = 1_000;
const SOON_MS = 10;

/** Creates the claims. Nothing is claimed before the first {@link DueClaims.claim}. */
export function createDueClaims(options: DueClaimsOptions): DueClaims {
  const { store, contextId, now, room, onDue, onRing, onFault } = options;
  const nowMs = () => now().getTime();
  const alarm = createAlarm(onRing, nowMs);
  let isBehind = false;

  return {
    async claim() {
      try {
        const limit = Math.min(room(), MAX_CLAIMED);
        onDue(await store.claimPushes({ now: now().toISOString(), limit, contextId }));
        const { nextAt } = await store.countWaitingPushes({ contextId });
        const at = nextAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(nextAt);
        isBehind = at <= nowMs() && room() === 0;
        alarm.setFor(Math.max(at, nowMs() + (isBehind ? AGAIN_MS : SOON_MS)));
      } catch (reason) {
        onFault(reason);
        alarm.setFor(nowMs() + AGAIN_MS);
      }
    },
    setFor: (at) => alarm.setFor(at),
    fallBehind() {
      isBehind = true;
      alarm.setFor(nowMs() + AGAIN_MS);
    },
    catchUp() {
      if (isBehind && room() > 0) alarm.setFor(nowMs());
    },
    close: () => alarm.close(),
  };
}
