import { failAt, type TaskState } from "@dt/schema";
import type { TaskRecord } from "./session-store.js";

/** A query for tasks. */
export interface TaskQuery {
  readonly owner: string;
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Only tasks that changed at this moment (ISO 8601) or later. */
  readonly since?: string;
  /** The token `next` of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** One page of tasks, the latest change first. */
export interface StoredTaskPage {
  readonly tasks: readonly TaskRecord[];
  /** Token for the next page; absent on the last page. */
  readonly next?: string;
  /** Number of tasks on all pages. */
  readonly total: number;
}

/** The last task of a page. The next page begins after it. */
export interface PageEnd {
  readonly updatedAt: string;
  readonly taskId: string;
}

/** Encodes the end of a page as a token, which is opaque to clients. */
export function encodePageToken({ updatedAt, taskId }: PageEnd): string {
  return Buffer.from(JSON.stringify([updatedAt, taskId])).toString("base64url");
}

/** Inverse of {@link encodePageToken}; throws `invalid-message` for other text. */
export function decodePageToken(token: string): PageEnd {
  try {
    const end: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    if (Array.isArray(end) && end.length === 2) {
      const [updatedAt, taskId] = end as unknown[];
      if (typeof updatedAt === "string" && typeof taskId === "string") return { updatedAt, taskId };
    }
  } catch {
    // The text is not JSON, so it is not a token.
  }
  failAt("pageToken", "expected a token from an earlier page of this list");
}

/** Builds a page from the found tasks. If more tasks than the limit were found, there is a next page. */
export function buildTaskPage(
  found: readonly TaskRecord[],
  { limit, total }: { readonly limit: number; readonly total: number },
): StoredTaskPage {
  const tasks = found.slice(0, limit);
  const last = tasks.at(-1);
  if (found.length <= limit || last === undefined) return { tasks, total };
  return { tasks, total, next: encodePageToken(last) };
}

/** Shortens a page to its first `count` tasks. The next page then begins with the tasks that were cut off. */
export function shortenTaskPage(page: StoredTaskPage, count: number): StoredTaskPage {
  if (count >= page.tasks.length) return page;
  return buildTaskPage(page.tasks, { limit: count, total: page.total });
}
