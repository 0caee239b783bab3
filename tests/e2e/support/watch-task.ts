import type { EventsOptions, SessionEvent, TaskHandle } from "@dt/client";

/** A task whose events are being read. */
export interface WatchedTask {
  /** All events so far. */
  readonly seen: readonly SessionEvent[];
  /** Waits for the first matching event. The event may have arrived already. */
  until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent>;
  /** Waits for a question and returns the id of its tool call. */
  question(): Promise<string>;
  /** Resolves when the loop over the events has ended. */
  readonly done: Promise<void>;
}

/** Starts reading the events of a task. */
export function watchTask(task: TaskHandle, options: EventsOptions = {}): WatchedTask {
  const seen: SessionEvent[] = [];
  const waiting = new Set<() => void>();
  const done = (async () => {
    for await (const event of task.events(options)) {
      seen.push(event);
      for (const check of [...waiting]) check();
    }
  })();

  async function until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
    return await new Promise((resolve, reject) => {
      const check = () => {
        const found = seen.find(fits);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      done.then(() => reject(new Error("the task ended without a matching event")), reject);
      check();
    });
  }

  return {
    seen,
    until,
    done,
    async question() {
      const event = await until(
        (candidate) => candidate.kind === "STATE_CHANGE" && candidate.waiting !== undefined,
      );
      return (event.kind === "STATE_CHANGE" && event.waiting?.[0]?.toolCallId) || "";
    },
  };
}
