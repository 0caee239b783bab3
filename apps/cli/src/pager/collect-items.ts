import {
  emptyTaskView,
  type ItemEvent,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";

/** The items of a whole conversation, folded page by page. */
export interface ItemCollector {
  take(events: readonly SessionEvent[]): void;
  items(): readonly ItemEvent[];
}

/** Folds as everyone does, and keeps what the view lets go. */
export function createItemCollector(): ItemCollector {
  const gone: ItemEvent[] = [];
  let view: TaskView = emptyTaskView("", "");
  return {
    take(events) {
      for (const event of events) {
        const next = reduceTaskView(view, event);
        const left = next.earlierItems - view.earlierItems;
        gone.push(...view.items.slice(0, left).map((item) => item.event));
        view = next;
      }
    },
    items: () => [...gone, ...view.items.map((item) => item.event)],
  };
}
