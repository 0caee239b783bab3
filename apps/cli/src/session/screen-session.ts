import { type FacePort, type FaceState, isOwnOrigin, type Origin } from "@dt/schema";

/** A face together with its newest state, so that a screen can draw without waiting. */
export interface ScreenSession {
  readonly face: FacePort;
  /** The newest state. */
  state(): FaceState;
  /** Calls the listener after each change of the state; returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** True if a prompt or an answer came from this screen. */
  isOwn(origin: Origin): boolean;
  /** Stops following the face, which stays open. */
  close(): void;
}

/** Follows a face; resolves when its first state is known. */
export async function openScreenSession(face: FacePort): Promise<ScreenSession> {
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  const states = face.states(closing.signal)[Symbol.asyncIterator]();
  const first = await states.next();
  if (first.done === true) throw new Error("the session was closed before its screen was opened");
  let state = first.value;

  async function follow(): Promise<void> {
    for (let next = await states.next(); next.done !== true; next = await states.next()) {
      state = next.value;
      for (const listener of [...listeners]) listener();
    }
  }

  void follow();
  return {
    face,
    state: () => state,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isOwn: (origin) => isOwnOrigin(face.traits, origin),
    close: () => closing.abort(),
  };
}
