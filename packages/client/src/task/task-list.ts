import type { TaskState, TaskView } from "@dt/schema";
import { decodeTask, decodeTaskPage, encodeListParams } from "@dt/schema/wire";
import type { CallOptions } from "./call-options.js";
import { type Conversation, request } from "./channel/requests.js";

/** Filters and page size of a list of tasks. */
export interface ListTasksOptions extends CallOptions {
  /** Only tasks of this session. */
  readonly contextId?: string;
  /** Only tasks in this state. */
  readonly state?: TaskState;
  /** Only tasks that changed at this time or later, ISO 8601. */
  readonly since?: string;
  /** Number of tasks per page, 1 to 100. Default: the agent decides, usually 50. */
  readonly pageSize?: number;
  /** Maximum number of items in each view; a view has the last items of its task. Default: 0. */
  readonly historyLength?: number;
  /** Page to start with: the `nextPageToken` of an earlier page. */
  readonly pageToken?: string;
}

/** One page of a list. */
export interface ListedTasks {
  /** Tasks as they were at the time of the request, with their open questions. */
  readonly tasks: readonly TaskView[];
  /** Token of the next page; absent on the last page. */
  readonly nextPageToken?: string;
  /** Number of tasks on all pages, if the agent reports it. */
  readonly totalSize?: number;
}

/** Tasks, most recently changed first. Iterating fetches page by page. */
export interface TaskList extends AsyncIterable<TaskView> {
  /** Iterates by pages instead of tasks. */
  pages(): AsyncIterable<ListedTasks>;
}

/** Lists tasks. The first request is sent when the list is iterated. */
export function listTasks(conversation: Conversation, options: ListTasksOptions): TaskList {
  const { signal, pageToken: start, ...filter } = options;
  const { spelling, uris } = conversation;

  async function* pages(): AsyncGenerator<ListedTasks, void, undefined> {
    let pageToken = start;
    do {
      const params = encodeListParams(
        pageToken === undefined ? filter : { ...filter, pageToken },
        spelling,
      );
      const json = await request(conversation, "list", params, signal);
      const page = decodeTaskPage(json, spelling);
      yield { ...page, tasks: page.tasks.map((task) => decodeTask(task, uris)) };
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
  }

  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { tasks } of pages()) yield* tasks;
    },
  };
}
