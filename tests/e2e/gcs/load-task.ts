import type { Bucket } from "@google-cloud/storage";

/** The fields of the server reference's task that its `loadTask` reads. */
export interface SDKTask {
  readonly id: string;
  readonly metadata: unknown;
  readonly history: unknown;
  readonly state: unknown;
  readonly timestamp: unknown;
  readonly artifacts: readonly unknown[];
}

/** Creates `loadTask` as the server reference prints it. (server reference, "Load Task") */
export function createLoadTask(bucket: Bucket) {
  return async function loadTask(taskId: string): Promise<SDKTask | null> {
    const taskPath = `tasks/${taskId}`;

    try {
      const metadata = await bucket.file(`${taskPath}/metadata.json`).download();
      const history = await bucket.file(`${taskPath}/history.json`).download();
      const state = await bucket.file(`${taskPath}/state.json`).download();

      return {
        id: taskId,
        metadata: JSON.parse(metadata[0].toString()),
        history: JSON.parse(history[0].toString()),
        state: JSON.parse(state[0].toString()).state,
        timestamp: JSON.parse(state[0].toString()).timestamp,
        artifacts: [],
      };
      // biome-ignore lint/correctness/noUnusedVariables: the document prints it.
    } catch (error) {
      return null; // Task not found
    }
  };
}
