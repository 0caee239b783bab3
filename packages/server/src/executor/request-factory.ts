import { SendMessageRequest, Task } from "@a2a-js/sdk";
import type { RequestContext, ServerCallContext } from "@a2a-js/sdk/server";
import { DEFAULT_EXTENSION_URIS, type TaskView } from "@dt/schema";
import { encodeTask, spellings } from "@dt/schema/wire";
import type { ExecutorPrompt } from "./executor-journal.js";

/**
 * Creates the request that an executor gets for a prompt. `view` is the task before the prompt; undefined if the task
 * is new.
 */
export type CreateRequest = (
  prompt: ExecutorPrompt,
  contextId: string,
  view: TaskView | undefined,
) => RequestContext;

/** The SDK's classes, which are loaded lazily. */
interface SdkServer {
  readonly RequestContext: typeof RequestContext;
  readonly ServerCallContext: typeof ServerCallContext;
}

const PLAIN = { uris: DEFAULT_EXTENSION_URIS, developmentTool: false, session: false };

/** Creates a function that creates requests with the SDK's classes. */
export function createRequestFactory(sdk: SdkServer): CreateRequest {
  return ({ messageId, taskId, parts, user }, contextId, view) => {
    const spelling = spellings["1.0"];
    const message = { messageId, role: "user", parts, taskId, contextId } as const;
    const request = SendMessageRequest.fromJSON({ message: spelling.encodeMessage(message) });
    const call = new sdk.ServerCallContext({
      user: { isAuthenticated: true, userName: user },
      requestedVersion: "1.0",
    });
    return new sdk.RequestContext(request, taskId, contextId, call, view && toSdkTask(view));
  };
}

// Converts a task for an executor, with the state `working` that the prompt has caused. An executor may
// publish this task, so the task must not have an older state.
function toSdkTask({ statusParts: _, error: __, ...view }: TaskView): Task {
  const task = encodeTask({ ...view, state: "working" }, { activation: PLAIN });
  return Task.fromJSON(spellings["1.0"].encodeTask(task));
}
