import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ExtensionUris, SessionEvent } from "@dt/schema";
import { type A2aPushFrame, spellings } from "@dt/schema/wire";
import { cursorsOf } from "../log/cursor.js";
import { toLoggedEvent } from "../log/logged-event.js";
import { readTaskView } from "../log/read-task-view.js";
import { buildTask, buildUpdate, type Dialect } from "../rpc/encode-frames.js";
import { isPlain, isShown } from "../rpc/plain-client.js";
import type { PushRecord, PushTarget } from "../store/push-record.js";
import type { LogEvent, SessionStore, TaskRecord } from "../store/session-store.js";
import type { KeptBodies } from "./body-cache.js";
import { isNotable, notableKinds } from "./notable-event.js";

/** What a receiver is told in one call. */
export interface Delivery {
  /** The same over all attempts, and over restarts. */
  readonly id: string;
  /** The place that has been delivered once the receiver has accepted it. */
  readonly place: number;
  readonly cursor: string;
  readonly body: string;
}

/** What is next for a config: a call, nothing up to a place, or nothing at all. */
export type NextDelivery =
  | { readonly type: "call"; readonly delivery: Delivery }
  | { readonly type: "skip"; readonly place: number }
  | { readonly type: "none" };

/** What is read to find it. */
export interface DeliverySource {
  readonly store: Pick<SessionStore, "findTask" | "findView" | "readEvents">;
  readonly uris: ExtensionUris;
  readonly bodies: KeptBodies;
}

interface Teller extends Omit<DeliverySource, "uris"> {
  readonly task: TaskRecord;
  readonly dialect: Dialect;
}

/** How many events are read in one go: one call needs one of them. */
const PAGE = 8;
/** How many places are looked through in one go: a burst of text must not keep everyone waiting. */
const WINDOW = 4_096;

/** Finds what a config has not been told yet: the task first if it is due, then event by event. */
export async function findNextDelivery(
  push: PushRecord,
  { store, uris, bodies }: DeliverySource,
): Promise<NextDelivery> {
  const { taskId, contextId, target, progress } = push;
  const dialect = dialectOf(target, uris);
  // Asked for before the events are: what comes after it meanwhile is found the next time.
  const task = await store.findTask(taskId);
  if (task === undefined) return { type: "none" };
  const teller = { task, dialect, store, bodies };
  if (progress.isTaskDue) return await taskCall(push, progress.after, teller);
  const { lastSeq } = task;
  let place = progress.after;
  while (place < lastSeq) {
    const upTo = Math.min(place + WINDOW, lastSeq);
    const query = { contextId, taskId, after: place, limit: PAGE };
    const kinds = { only: notableKinds, upTo };
    const page = await store.readEvents({ ...query, ...(!target.allEvents && { kinds }) });
    const found = page.find((logged) => isWanted(logged, target, teller));
    if (found !== undefined) return await eventCall(push, found, teller);
    const last = page.at(-1)?.seq ?? upTo;
    place = page.length === PAGE ? last : target.allEvents ? lastSeq : upTo;
    if (place < lastSeq) await setImmediate();
  }
  return place > progress.after ? { type: "skip", place } : { type: "none" };
}

/** The words of a config's client. */
export function dialectOf(target: PushTarget, uris: ExtensionUris): Dialect {
  const { version, developmentTool, session } = target;
  return { spelling: spellings[version], activation: { uris, developmentTool, session } };
}

function isWanted(logged: LogEvent, { allEvents }: PushTarget, { task, dialect }: Teller): boolean {
  if (!allEvents && !isNotable(logged.event)) return false;
  return isShown(toSessionEvent(logged, task), dialect.activation);
}

// A task is folded from its events: not again for each attempt, nor for each config that is told the same.
async function taskCall(
  push: PushRecord,
  place: number,
  { task, dialect, store, bodies }: Teller,
): Promise<NextDelivery> {
  const { taskId, target } = push;
  const { version, developmentTool, session } = target;
  const name = JSON.stringify([taskId, place, version, developmentTool, session]);
  const body = await bodies.find(name, async () => {
    const view = await readTaskView(store, { ...task, upTo: place });
    return encodeBody({ type: "task", task: buildTask(view, dialect, 0) }, dialect);
  });
  return toCall(push, { task, place, type: "task", body });
}

async function eventCall(
  push: PushRecord,
  logged: LogEvent,
  teller: Teller,
): Promise<NextDelivery> {
  const { task, dialect } = teller;
  const event = toSessionEvent(logged, task);
  if (needsAnswer(event, dialect)) return await taskCall(push, logged.seq, teller);
  const frame: A2aPushFrame = { type: "status-update", ...buildUpdate(event, dialect, false) };
  const body = encodeBody(frame, dialect);
  return toCall(push, { task, place: logged.seq, type: frame.type, body });
}

function encodeBody(frame: A2aPushFrame, { spelling }: Dialect): string {
  return JSON.stringify(spelling.encodePush(frame));
}

// A2A 0.3 posts tasks, and several frameworks read nothing but the artifacts of a finished one.
function needsAnswer(event: SessionEvent, { spelling, activation }: Dialect): boolean {
  return event.state === "completed" && spelling.version === "0.3" && isPlain(activation);
}

/** The words of one call, and which place of the log they bring a receiver to. */
interface Told {
  readonly task: TaskRecord;
  readonly place: number;
  readonly type: A2aPushFrame["type"];
  readonly body: string;
}

function toCall(
  { taskId, configId, target }: PushRecord,
  { task, place, type, body }: Told,
): NextDelivery {
  const life = target.life === undefined ? [] : [target.life];
  const name = JSON.stringify([taskId, configId, type, place, ...life]);
  return {
    type: "call",
    delivery: {
      id: createHash("sha256").update(name).digest("hex").slice(0, 32),
      place,
      cursor: cursorsOf(task).encode(place),
      body,
    },
  };
}

function toSessionEvent(logged: LogEvent, task: TaskRecord): SessionEvent {
  const cursor = cursorsOf(task).encode(logged.seq);
  return toLoggedEvent(logged, { contextId: task.contextId, cursor }).event;
}
