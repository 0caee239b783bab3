import {
  emptyTaskView,
  reduceSessionView,
  type SessionEvent,
  type TaskView,
  type ViewItem,
} from "@dt/schema";
import {
  emptyTranscript,
  endOf,
  type PlacedNotice,
  type Transcript,
} from "../history/advance-transcript.js";

/** The items of a whole conversation, folded page by page. */
export interface ItemCollector {
  take(events: readonly SessionEvent[]): void;
  items(): readonly ViewItem[];
  /** How its turns ended, where that is not seen in the items. */
  ends(): readonly PlacedNotice[];
}

/** Folds as everyone does, and keeps what the view lets go. */
export function createItemCollector(): ItemCollector {
  const gone: ViewItem[] = [];
  const ends: PlacedNotice[] = [];
  let view: TaskView = emptyTaskView("", "");
  let before: Pick<Transcript, "state" | "error"> = emptyTranscript;
  return {
    take(events) {
      for (const event of events) {
        const next = reduceSessionView(view, event);
        const left = next.earlierItems - view.earlierItems;
        gone.push(...view.items.slice(0, left));
        view = next;
        const place = view.earlierItems + view.items.length;
        ends.push(...endOf(before, view).map((end) => ({ ...end, place })));
        before = { state: view.state, error: view.error };
      }
    },
    ends: () => ends,
    items: () => [...gone, ...view.items],
  };
}
