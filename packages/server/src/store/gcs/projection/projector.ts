import { setTimeout as delay } from "node:timers/promises";
import { type Artifact, isObject, replyIn } from "@dt/schema";
import { referenceDialect } from "@dt/schema/wire";
import type { EventQuery, LogEvent, TaskRecord } from "../../session-store.js";
import { deleteFolder } from "../bucket/delete-folder.js";
import type { ObjectBucket } from "../bucket/object-bucket.js";
import { taskFolder } from "../bucket/object-names.js";
import { runLimited } from "../bucket/run-limited.js";
import { type GcsState, isResting } from "../state/gcs-state.js";
import { type ArtifactObject, toAnswerObject, toFileObject } from "./artifact-objects.js";
import { extendFold, startFold, type TaskFold } from "./task-fold.js";

/** Options of {@link createProjector}. */
export interface ProjectorOptions {
  readonly bucket: ObjectBucket;
  readonly state: GcsState;
  readEvents(query: EventQuery): Promise<readonly LogEvent[]>;
  /** Called with the error of a projection, which is tried again later. */
  onFault(reason: unknown): void;
}

/** Writes the documented objects of tasks. (server reference, "Storage Schema") */
export interface Projector {
  /** Writes, in the background, each task whose turn has ended since the task was last written. */
  start(): void;
  /** Stops. If `drains` is true, all waiting tasks are written first, unless the bucket fails. */
  close(options: { readonly drains: boolean }): Promise<void>;
}

const PAGE_EVENTS = 256;
/** Pause after a failure. */
const RETRY_MS = 5_000;
/** Number of tasks whose fold is kept, so that their next projection reads only newer events. */
const MAX_FOLDS = 64;
const JSON_TYPE = "application/json";

/** Creates a projector. A task is written when its turn has ended, never for each event. */
export function createProjector(options: ProjectorOptions): Projector {
  const { bucket, state, onFault } = options;
  const { unprojected, tasks, sessions } = state.tables;
  const folds = new Map<string, TaskFold>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let isDraining = false;

  async function run(): Promise<void> {
    while (!closing.signal.aborted || isDraining) {
      const [taskId] = unprojected.keys();
      if (taskId === undefined) break;
      try {
        await projectNext(taskId);
      } catch (reason) {
        onFault(reason);
        if (isDraining) break;
        await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
    running = undefined;
  }

  async function projectNext(taskId: string): Promise<void> {
    const task = tasks.get(taskId);
    if (task !== undefined && isResting(task)) await project(task);
    // A task that changed meanwhile is written again. A task that works is written when its turn has ended.
    const current = tasks.get(taskId);
    if (current === undefined) await deleteFolder(bucket, taskFolder(taskId));
    if (current === task || current === undefined || !isResting(current)) {
      unprojected.delete(taskId);
    }
  }

  async function project(task: TaskRecord): Promise<void> {
    const { taskId, contextId } = task;
    const folder = taskFolder(taskId);
    const fold = await foldUpTo(task);
    const { metadata, history, state, timestamp } = referenceDialect.encodeTask(fold.view);
    const write = (name: string, value: unknown) =>
      bucket.write(`${folder}${name}`, JSON.stringify(value), JSON_TYPE);
    const { workspacePath = "/" } = sessions.get(contextId)?.settings ?? {};
    const objects = [
      ...[...fold.files.values()].map((file) => toFileObject(file, workspacePath)),
      ...answersIn(fold).map(toAnswerObject),
    ].filter((object): object is ArtifactObject => object !== undefined);
    await runLimited(objects, ({ path, body, contentType }) =>
      bucket.write(`${folder}artifacts/${path}`, body, contentType),
    );
    await write("metadata.json", isObject(metadata) ? metadata : {});
    await write("history.json", history);
    await write("state.json", { state, timestamp });
    remember(taskId, { ...fold, files: new Map() });
  }

  async function foldUpTo(task: TaskRecord): Promise<TaskFold> {
    const { taskId, contextId, lastPosition } = task;
    let fold = folds.get(taskId) ?? startFold(task);
    while (fold.position < lastPosition) {
      const query = { contextId, taskId, after: fold.position, limit: PAGE_EVENTS };
      const page = (await options.readEvents(query)).filter(
        ({ position }) => position <= lastPosition,
      );
      if (page.length === 0) break;
      fold = extendFold(fold, page);
    }
    return fold;
  }

  function remember(taskId: string, fold: TaskFold): void {
    folds.delete(taskId);
    if (tasks.has(taskId)) folds.set(taskId, fold);
    const [oldest] = folds.keys();
    if (folds.size > MAX_FOLDS && oldest !== undefined) folds.delete(oldest);
  }

  return {
    start() {
      if (unprojected.size > 0 && !closing.signal.aborted) running ??= run();
    },
    async close({ drains }) {
      isDraining = drains;
      closing.abort();
      await running;
      if (drains) await run();
    },
  };
}

/** Returns the artifacts that the agent gave, and its last reply. */
function answersIn({ view }: TaskFold): readonly Artifact[] {
  const { parts } = replyIn(view);
  const given = view.artifacts ?? [];
  return parts.length === 0 ? given : [...given, { artifactId: "answer", parts }];
}
