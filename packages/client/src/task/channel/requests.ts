import type { ExtensionUris, JsonObject, TaskView } from "@dt/schema";
import { type A2aSpelling, decodeTask, methodNames, type Operation } from "@dt/schema/wire";
import { hasCode } from "../../errors/has-code.js";
import { isTransportError } from "../../errors/transport-error.js";
import type { Transport } from "../../transport/transport.js";
import type { Attempts } from "./attempts.js";

/** What talking to an agent of the RFC's extension takes. */
export interface Conversation {
  readonly transport: Transport;
  readonly spelling: A2aSpelling;
  readonly uris: ExtensionUris;
  readonly attempts: Attempts;
}

/** One request that may be repeated, until it is answered. */
export async function request(
  { transport, spelling, attempts }: Conversation,
  operation: Operation,
  params: JsonObject,
  signal?: AbortSignal,
): Promise<unknown> {
  const method = methodNames[spelling.version][operation];
  return await attempts.run((aborted) => transport.call(method, params, aborted), signal);
}

/** The task as it stands. */
export async function getTask(
  conversation: Conversation,
  taskId: string,
  signal?: AbortSignal,
  historyLength?: number,
): Promise<TaskView> {
  const { spelling, uris } = conversation;
  const json = await request(conversation, "get", { id: taskId, historyLength }, signal);
  return decodeTask(spelling.decodeTask(json, "result"), uris);
}

/** Ends what a task is doing. */
export async function cancelTask(
  { transport, spelling, attempts }: Conversation,
  taskId: string,
  signal?: AbortSignal,
): Promise<void> {
  const method = methodNames[spelling.version].cancel;
  let mayBeDone = false;
  await attempts.run(async (aborted) => {
    try {
      await transport.call(method, { id: taskId }, aborted);
    } catch (reason) {
      // The answer to an earlier try was lost, and it was that try that ended the task.
      if (mayBeDone && hasCode(reason, "task-not-cancelable")) return;
      mayBeDone ||= isTransportError(reason);
      throw reason;
    }
  }, signal);
}
