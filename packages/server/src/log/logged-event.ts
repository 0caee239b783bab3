import type { SessionEvent } from "@dt/schema";
import type { LogEvent } from "../store/session-store.js";

/** A committed event, with its place and with what a stream needs to send it. */
export interface LoggedEvent {
  readonly position: number;
  readonly turn: number;
  readonly event: SessionEvent;
  /** Its bytes in each dialect that someone watched in, written once for all observers. */
  readonly encoded: Pick<Map<string, string>, "get" | "set" | "size">;
}

/** An event of the store as observers see it. */
export function toLoggedEvent(
  { position, event }: Pick<LogEvent, "position" | "event">,
  { contextId, cursor }: { readonly contextId: string; readonly cursor: string },
): LoggedEvent {
  // With the spread last V8 clones in 0.1 µs, else in 3. The `turn` that stays in it harms nobody.
  const seen: SessionEvent = { contextId, cursor, ...event };
  return { position, turn: event.turn, event: seen, encoded: new EncodedTexts() };
}

/** A map that is cheap as long as it holds one text, as it mostly does. */
export class EncodedTexts implements Pick<Map<string, string>, "get" | "set" | "size"> {
  private key: string | undefined;
  private text: string | undefined;
  private others: Map<string, string> | undefined;
  private isShared = false;

  get(key: string): string | undefined {
    if (key !== this.key) return this.others?.get(key);
    if (!this.isShared) this.share();
    return this.text;
  }

  // V8 keeps a text that was added up as its pieces, and copies them for each who sends it. Once a
  // second observer asks, it is made whole for all of them.
  private share(): void {
    this.isShared = true;
    this.text = Buffer.from(this.text ?? "").toString();
  }

  get size(): number {
    return (this.key === undefined ? 0 : 1) + (this.others?.size ?? 0);
  }

  set(key: string, text: string): never {
    if (this.key === undefined || this.key === key) {
      this.key = key;
      this.text = text;
      this.isShared = false;
    } else {
      this.others ??= new Map();
      this.others.set(key, text);
    }
    return this as never;
  }
}
