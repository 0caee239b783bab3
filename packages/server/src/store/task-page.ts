import { ProtocolError, type TaskState } from "@dt/schema";
import type { TaskRecord } from "./session-store.js";

/** Which tasks to list. */
export interface TaskQuery {
  readonly owner: string;
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Only tasks that changed at this moment (ISO 8601) or later. */
  readonly since?: string;
  /** Goes on where the page that gave this token ended. */
  readonly after?: string;
  readonly limit: number;
}

/** Some of the tasks that fit, the one that changed last first. */
export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  /** The token of the next page; absent on the last. */
  readonly next?: string;
  /** How many fit on all pages together. */
  readonly total: number;
}

/** Where a page ended: a task that changes in between moves to the front and is not lost. */
export interface PagePlace {
  readonly updatedAt: string;
  readonly taskId: string;
}

/** A place as clients hold it: opaque to them. */
export function encodePagePlace({ updatedAt, taskId }: PagePlace): string {
  return Buffer.from(JSON.stringify([updatedAt, taskId])).toString("base64url");
}

/** Inverse of {@link encodePagePlace}; throws `invalid-message` for what is no place. */
export function decodePagePlace(token: string): PagePlace {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    if (Array.isArray(place) && place.length === 2) {
      const [updatedAt, taskId] = place as unknown[];
      if (typeof updatedAt === "string" && typeof taskId === "string") return { updatedAt, taskId };
    }
  } catch {
    // Not JSON: no place either.
  }
  throw new ProtocolError("invalid-message", "pageToken: this is not a token of this list");
}

/** A page out of the tasks that were found: one more than its limit, if there is a next page. */
export function buildTaskPage(
  found: readonly TaskRecord[],
  { limit, total }: { readonly limit: number; readonly total: number },
): TaskPage {
  const tasks = found.slice(0, limit);
  const last = tasks.at(-1);
  if (found.length <= limit || last === undefined) return { tasks, total };
  return { tasks, total, next: encodePagePlace(last) };
}

/** The first tasks of a page as a page of its own: the next one goes on with those that are left. */
export function shortenTaskPage(page: TaskPage, count: number): TaskPage {
  if (count >= page.tasks.length) return page;
  return buildTaskPage(page.tasks, { limit: count, total: page.total });
}
