import type { TaskState, TaskView } from "@dt/schema";
import { decodeTask, decodeTaskPage, encodeListParams } from "@dt/schema/wire";
import type { CallOptions } from "./call-options.js";
import { type Conversation, request } from "./channel/requests.js";

/** Which tasks to list. */
export interface ListTasksOptions extends CallOptions {
  /** Only those of one session. */
  readonly contextId?: string;
  /** Only those in one state. */
  readonly state?: TaskState;
  /** Only those that changed at this moment or later, ISO 8601. */
  readonly since?: string;
  /** How many to fetch at a time, 1 to 100. Default: the agent's, 50. */
  readonly pageSize?: number;
  /** How many of the last items each view holds. Default: 0. */
  readonly historyLength?: number;
  /** Where to begin: `nextPageToken` of an earlier page. */
  readonly pageToken?: string;
}

/** Some tasks of a list. */
export interface ListedTasks {
  /** The tasks as they stood, open questions included. */
  readonly tasks: readonly TaskView[];
  /** Where the next page begins; absent on the last one. */
  readonly nextPageToken?: string;
  /** How many tasks there are on all pages, where the agent says. */
  readonly totalSize?: number;
}

/** Tasks, the one that changed last first; fetched page by page while they are iterated. */
export interface TaskList extends AsyncIterable<TaskView> {
  /** The same page by page. */
  pages(): AsyncIterable<ListedTasks>;
}

/** Lists tasks; nothing is asked before the list is iterated. */
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
