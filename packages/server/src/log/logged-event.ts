import type { SessionEvent } from "@dt/schema";
import type { StreamFrame } from "@dt/schema/wire";
import type { LogEvent } from "../store/session-store.js";

/** An event with its position, and a cache of its encoded forms. */
export interface LoggedEvent {
  readonly position: number;
  readonly turn: number;
  readonly event: SessionEvent;
  /** The frames of the event by dialect, so that all subscribers of a dialect share one text. */
  readonly encoded: FrameCache;
}

/** Frames of one event, by a key that identifies the dialect. */
export interface FrameCache {
  get(key: string): readonly StreamFrame[] | undefined;
  set(key: string, frames: readonly StreamFrame[]): unknown;
  readonly size: number;
}

/** Converts an event of the store to the form that subscribers get. */
export function toLoggedEvent(
  { position, event }: Pick<LogEvent, "position" | "event">,
  { contextId, cursor }: { readonly contextId: string; readonly cursor: string },
): LoggedEvent {
  // The spread comes last, because V8 then copies the event in 0.1 µs instead of 3 µs. The copy also contains `turn`,
  // which the type does not mention.
  const seen: SessionEvent = { contextId, cursor, ...event };
  return { position, turn: event.turn, event: seen, encoded: new EncodedFrames() };
}

/** A cache for the frames of an event. One entry costs little, because most events are encoded in only one dialect. */
export class EncodedFrames implements FrameCache {
  private key: string | undefined;
  private frames: readonly StreamFrame[] = [];
  private others: Map<string, readonly StreamFrame[]> | undefined;
  private isShared = false;

  get(key: string): readonly StreamFrame[] | undefined {
    if (key !== this.key) return this.others?.get(key);
    if (!this.isShared) this.share();
    return this.frames;
  }

  // V8 represents a concatenated string as a tree, and would flatten the tree again for every subscriber. This method
  // flattens the tree once, when a second subscriber reads the string.
  private share(): void {
    this.isShared = true;
    this.frames = this.frames.map((frame) => ({
      ...frame,
      json: Buffer.from(frame.json).toString(),
    }));
  }

  get size(): number {
    return (this.key === undefined ? 0 : 1) + (this.others?.size ?? 0);
  }

  set(key: string, frames: readonly StreamFrame[]): void {
    if (this.key === undefined || this.key === key) {
      this.key = key;
      this.frames = frames;
      this.isShared = false;
    } else {
      this.others ??= new Map();
      this.others.set(key, frames);
    }
  }
}
