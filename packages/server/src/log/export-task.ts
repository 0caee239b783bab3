import { DEFAULT_EXTENSION_URIS, isObject, ProtocolError } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import type { SessionStore } from "../store/session-store.js";
import { readWholeTask } from "./views/read-whole-task.js";

const PAGE_EVENTS = 256;

/**
 * Reads one task from a store, as pieces of one JSON value: the events with their positions, the owner, and
 * the task of A2A 1.0, which is folded from the events. Keys are sorted, so that the same task always has the
 * same text.
 */
export async function* exportTask(
  store: Pick<SessionStore, "findTask" | "readEvents">,
  taskId: string,
): AsyncGenerator<string> {
  const found = await store.findTask(taskId);
  if (found === undefined) throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
  const { contextId } = found;
  const view = await readWholeTask(store, found);
  const dialect = createDialects(DEFAULT_EXTENSION_URIS).ofTask(undefined, {
    version: "1.0",
    developmentTool: true,
    session: true,
  });
  yield `{"events":[`;
  let after = 0;
  let separator = "\n";
  for (;;) {
    const page = await store.readEvents({ contextId, taskId, after, limit: PAGE_EVENTS });
    for (const logged of page) {
      yield `${separator}${encodeSorted(logged)}`;
      separator = ",\n";
      after = logged.position;
    }
    if (page.length < PAGE_EVENTS) break;
  }
  yield `\n],\n"owner":${JSON.stringify(found.owner)},\n"task":${encodeSorted(dialect.encodeTask(view))}}\n`;
}

/** Encodes a value with sorted keys. */
function encodeSorted(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}
