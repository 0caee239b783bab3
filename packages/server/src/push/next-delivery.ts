import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { SessionEvent } from "@dt/schema";
import type { Dialect, Dialects } from "@dt/schema/wire";
import { cursorsOf, findEpoch } from "../log/cursor.js";
import { toLoggedEvent } from "../log/logged-event.js";
import { readTaskView } from "../log/views/read-task-view.js";
import type { PushRecord } from "../store/push-record.js";
import type { LogEvent, SessionStore, TaskRecord } from "../store/session-store.js";
import type { BodyCache } from "./body-cache.js";
import { isNotable, NOTABLE_KINDS } from "./notable-event.js";

/** The content of one call. */
export interface PushDelivery {
  /** Id of the delivery; the same for all attempts, even after a restart. */
  readonly id: string;
  /** Position of the config after the receiver has accepted the delivery. */
  readonly position: number;
  readonly cursor: string;
  readonly body: string;
}

/** The next step for a config: a call, a skip to a position, or nothing. */
export type NextDelivery =
  | { readonly type: "call"; readonly delivery: PushDelivery }
  | { readonly type: "skip"; readonly position: number }
  | { readonly type: "none" };

/** Options of {@link findNextDelivery}. */
export interface DeliverySource {
  readonly store: Pick<SessionStore, "findTask" | "findView" | "readEvents">;
  readonly dialects: Dialects;
  readonly bodies: BodyCache;
}

interface Encoding extends Omit<DeliverySource, "dialects"> {
  readonly task: TaskRecord;
  readonly dialect: Dialect;
}

/** Maximum number of events in one read. A call needs only one event. */
const PAGE_EVENTS = 8;
/** Maximum number of positions that one read searches, so that many events of text do not block the process. */
const WINDOW_POSITIONS = 4_096;

/** Finds the next delivery of a config: the whole task if it was not delivered yet, otherwise an event. */
export async function findNextDelivery(
  push: PushRecord,
  { store, dialects, bodies }: DeliverySource,
): Promise<NextDelivery> {
  const { taskId, contextId, target, progress } = push;
  // The task is read before its events. An event that is logged meanwhile is found by the next search.
  const task = await store.findTask(taskId);
  if (task === undefined) return { type: "none" };
  const dialect = dialects.ofTask(task.dialect, target);
  const encoding = { task, dialect, store, bodies };
  if (progress.isTaskDue) return await buildTaskCall(push, progress.after, encoding);
  const { lastPosition } = task;
  let position = progress.after;
  while (position < lastPosition) {
    const upTo = Math.min(position + WINDOW_POSITIONS, lastPosition);
    const query = { contextId, taskId, after: position, limit: PAGE_EVENTS };
    const kinds = { only: NOTABLE_KINDS, upTo };
    const page = await store.readEvents({ ...query, ...(!target.allEvents && { kinds }) });
    for (const logged of page) {
      const call = await findEventCall(push, logged, encoding);
      if (call !== undefined) return call;
    }
    const last = page.at(-1)?.position ?? upTo;
    position = page.length === PAGE_EVENTS ? last : target.allEvents ? lastPosition : upTo;
    if (position < lastPosition) await setImmediate();
  }
  return position > progress.after ? { type: "skip", position } : { type: "none" };
}

// Builds the delivery of a whole task. Folding a task is expensive, so the body is cached for other attempts and
// other configs.
async function buildTaskCall(
  push: PushRecord,
  position: number,
  { task, dialect, store, bodies }: Encoding,
): Promise<NextDelivery> {
  const { taskId } = push;
  const name = JSON.stringify([taskId, position, dialect.key]);
  const body = await bodies.get(name, async () => {
    const view = await readTaskView(store, { ...task, upTo: position });
    return JSON.stringify(dialect.encodePushTask(view));
  });
  const epoch = (await findEpoch(store, task.contextId, position)) ?? 0;
  return toCall(push, { task, position, epoch, type: "task", body });
}

// Returns undefined if the config does not include the event, or if its dialect does not encode the event.
async function findEventCall(
  push: PushRecord,
  logged: LogEvent,
  encoding: Encoding,
): Promise<NextDelivery | undefined> {
  const { task, dialect } = encoding;
  if (!push.target.allEvents && !isNotable(logged.event)) return undefined;
  const content = dialect.encodePush(toSessionEvent(logged, task));
  if (content.type === "nothing") return undefined;
  const { position, epoch } = logged;
  if (content.type !== "body") return await buildTaskCall(push, position, encoding);
  const body = JSON.stringify(content.body);
  return toCall(push, { task, position, epoch, type: "status-update", body });
}

/** The body of a delivery, and the position of its last event. */
interface Content {
  readonly task: TaskRecord;
  readonly position: number;
  readonly epoch: number;
  /** Part of the delivery id, so that a task and an event at the same position have different ids. */
  readonly type: "task" | "status-update";
  readonly body: string;
}

function toCall(
  { taskId, configId, target }: PushRecord,
  { task, position, epoch, type, body }: Content,
): NextDelivery {
  const life = target.life === undefined ? [] : [target.life];
  const name = JSON.stringify([taskId, configId, type, position, ...life]);
  return {
    type: "call",
    delivery: {
      id: createHash("sha256").update(name).digest("hex").slice(0, 32),
      position,
      cursor: cursorsOf(task).encode({ position, epoch }),
      body,
    },
  };
}

function toSessionEvent(logged: LogEvent, task: TaskRecord): SessionEvent {
  const cursor = cursorsOf(task).encode(logged);
  return toLoggedEvent(logged, { contextId: task.contextId, cursor }).event;
}
