import { createLines, type Lines } from "../lane-lines.js";

/** A config that has something to be told, as long as it has its turn or waits for one. */
export interface Lane {
  readonly key: string;
  /** The host that it calls: those who call the same one share a few places. */
  readonly origin: string;
  /** The receiver on that host. What is known of it holds for all who call it. */
  readonly receiver: string;
}

/**
 * How many calls are made at once to receivers that are well; as many again to those that are in doubt,
 * so that whoever does not answer takes no place from those who do.
 */
export interface LaneLimits {
  readonly maxCalls: number;
  /** To one host. */
  readonly maxCallsPerOrigin: number;
  /** How many lanes may wait here. */
  readonly maxQueued: number;
}

/** Lanes in line: in order of arrival for one receiver; hosts, and the receivers of one, in turn. */
export interface LaneQueue<TLane extends Lane> {
  /** Puts a lane in line, once; false where there is no room. */
  add(lane: TLane): boolean;
  /** The next lane whose turn it is; it counts as calling until it is released. */
  take(): TLane | undefined;
  release(lane: TLane): void;
  /** The receiver failed or is slow: its calls, those under way too, take only places of such. */
  doubt(lane: Lane): void;
  /** The receiver is well again. */
  trust(lane: Lane): void;
  /** Takes a lane out of line. */
  remove(key: string): void;
  clear(): void;
  /** How many are in line. */
  readonly queued: number;
  /** How many more may be. */
  readonly room: number;
}

/** How many receivers are remembered as doubtful; of those that go on failing we hear again. */
const MAX_DOUBTED = 10_000;

/** Opens a queue. */
export function createLaneQueue<TLane extends Lane>(limits: LaneLimits): LaneQueue<TLane> {
  const well = createLines<TLane>(limits);
  const doubtful = createLines<TLane>(limits);
  // The doubtful receivers, and the host of each.
  const doubted = new Map<string, string>();
  const waiting = new Map<string, TLane>();
  const calling = new Map<string, Lines<TLane>>();
  // Slow calls that found no place among the doubtful yet, and hold one of the others.
  const lingering = new Map<string, Lane>();

  const linesOf = ({ receiver }: Lane) => (doubted.has(receiver) ? doubtful : well);

  function remove(key: string): void {
    const lane = waiting.get(key);
    if (lane === undefined) return;
    waiting.delete(key);
    linesOf(lane).remove(lane);
  }

  function takeFrom(lines: Lines<TLane>): TLane | undefined {
    const lane = lines.take();
    if (lane === undefined) return undefined;
    waiting.delete(lane.key);
    calling.set(lane.key, lines);
    return lane;
  }

  function moveCall(lane: Lane): boolean {
    if (!doubtful.hasPlace(lane)) return false;
    well.leave(lane);
    doubtful.enter(lane);
    calling.set(lane.key, doubtful);
    lingering.delete(lane.key);
    return true;
  }

  function trust(receiver: string, origin: string): void {
    if (doubted.delete(receiver)) well.adopt(origin, receiver, doubtful.drop(origin, receiver));
  }

  return {
    add(lane) {
      const { key, receiver } = lane;
      if (waiting.get(key)?.receiver === receiver) return true;
      // A config that calls someone else from now on stands in another line.
      remove(key);
      if (waiting.size >= limits.maxQueued) return false;
      linesOf(lane).add(lane);
      waiting.set(key, lane);
      return true;
    },
    take: () => takeFrom(well) ?? takeFrom(doubtful),
    release(lane) {
      calling.get(lane.key)?.leave(lane);
      calling.delete(lane.key);
      lingering.delete(lane.key);
      for (const other of lingering.values()) if (moveCall(other)) break;
    },
    doubt(lane) {
      const { key, origin, receiver } = lane;
      if (!doubted.has(receiver)) {
        doubtful.adopt(origin, receiver, well.drop(origin, receiver));
        doubted.set(receiver, origin);
        const [oldest] = doubted;
        if (oldest !== undefined && doubted.size > MAX_DOUBTED) trust(...oldest);
      }
      if (calling.get(key) === well && !moveCall(lane)) lingering.set(key, lane);
    },
    trust: ({ receiver, origin }) => trust(receiver, origin),
    remove,
    clear() {
      well.clear();
      doubtful.clear();
      waiting.clear();
    },
    get queued() {
      return waiting.size;
    },
    get room() {
      return limits.maxQueued - waiting.size;
    },
  };
}
