import {
  emptyTaskView,
  reduceSessionView,
  type SessionEvent,
  type TaskView,
  type ViewItem,
} from "@dt/schema";
import {
  EMPTY_TRANSCRIPT,
  type Transcript,
  type TurnEndNotice,
  turnEndNotices,
} from "../history/advance-transcript.js";

/** Collects the items of a whole conversation from pages of events. */
export interface ItemCollector {
  add(events: readonly SessionEvent[]): void;
  items(): readonly ViewItem[];
  /** Notices about failed and cancelled turns. */
  ends(): readonly TurnEndNotice[];
}

/** Creates a collector. It folds events into a view, and also stores the items that the view drops. */
export function createItemCollector(): ItemCollector {
  const dropped: ViewItem[] = [];
  const ends: TurnEndNotice[] = [];
  let view: TaskView = emptyTaskView("", "");
  let before: Pick<Transcript, "state" | "error"> = EMPTY_TRANSCRIPT;
  return {
    add(events) {
      for (const event of events) {
        const next = reduceSessionView(view, event);
        const newlyDropped = next.earlierItems - view.earlierItems;
        dropped.push(...view.items.slice(0, newlyDropped));
        view = next;
        const itemIndex = view.earlierItems + view.items.length;
        ends.push(...turnEndNotices(before, view).map((end) => ({ ...end, itemIndex })));
        before = { state: view.state, error: view.error };
      }
    },
    ends: () => ends,
    items: () => [...dropped, ...view.items],
  };
}
