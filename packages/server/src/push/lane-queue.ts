/** A config that has something to be told, as long as it has its turn or waits for one. */
export interface Lane {
  readonly key: string;
  /** Whom it calls: those who call the same one share a few places. */
  readonly origin: string;
}

/** How many calls are made at once. */
export interface LaneLimits {
  readonly maxCalls: number;
  /** To one receiver. A dead one holds up no more than this. */
  readonly maxCallsPerOrigin: number;
  /** How many lanes may wait here. */
  readonly maxQueued: number;
}

/** Lanes in line: in order of arrival for one receiver, receiver by receiver in turn. */
export interface LaneQueue<TLane extends Lane> {
  /** Puts a lane in line, once; false where there is no room. */
  add(lane: TLane): boolean;
  /** The next lane whose turn it is; it counts as calling until it is released. */
  take(): TLane | undefined;
  release(lane: TLane): void;
  /** Takes a lane out of line. */
  remove(key: string): void;
  clear(): void;
  /** How many are in line. */
  readonly queued: number;
  /** How many more may be. */
  readonly room: number;
}

/** Opens a queue. */
export function createLaneQueue<TLane extends Lane>(limits: LaneLimits): LaneQueue<TLane> {
  const lines = new Map<string, Map<string, TLane>>();
  const origins = new Map<string, string>();
  const calling = new Map<string, number>();
  let calls = 0;

  function remove(key: string): void {
    const origin = origins.get(key) ?? "";
    const line = lines.get(origin);
    line?.delete(key);
    origins.delete(key);
    if (line?.size === 0) lines.delete(origin);
  }

  return {
    add(lane) {
      const { key, origin } = lane;
      if (origins.get(key) === origin) return true;
      // A config that calls someone else from now on stands in another line.
      remove(key);
      if (origins.size >= limits.maxQueued) return false;
      const line = lines.get(origin) ?? new Map<string, TLane>();
      lines.set(origin, line.set(key, lane));
      origins.set(key, origin);
      return true;
    },
    take() {
      if (calls >= limits.maxCalls) return undefined;
      for (const [origin, line] of lines) {
        const own = calling.get(origin) ?? 0;
        const [lane] = line.values();
        if (lane === undefined || own >= limits.maxCallsPerOrigin) continue;
        remove(lane.key);
        // To the end of the line of receivers: the others come first.
        if (lines.delete(origin)) lines.set(origin, line);
        calling.set(origin, own + 1);
        calls += 1;
        return lane;
      }
      return undefined;
    },
    release({ origin }) {
      calls -= 1;
      const own = (calling.get(origin) ?? 1) - 1;
      if (own === 0) calling.delete(origin);
      else calling.set(origin, own);
    },
    remove,
    clear() {
      lines.clear();
      origins.clear();
    },
    get queued() {
      return origins.size;
    },
    get room() {
      return limits.maxQueued - origins.size;
    },
  };
}
