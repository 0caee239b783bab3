import type { ExtensionUris, JsonObject, TaskView } from "@dt/schema";
import { type A2aSpelling, decodeTask, METHOD_NAMES, type Operation } from "@dt/schema/wire";
import { hasCode } from "../../errors/has-code.js";
import { isTransportError } from "../../errors/transport-error.js";
import type { Transport } from "../../transport/transport.js";
import type { Attempts } from "./attempts.js";

/** Transport, spelling, extension URIs and retries of the conversation with one agent. */
export interface Conversation {
  readonly transport: Transport;
  readonly spelling: A2aSpelling;
  readonly uris: ExtensionUris;
  readonly attempts: Attempts;
  /** False if the agent answers only whole requests, without a stream. Default: true. */
  readonly streams?: boolean;
}

/** Sends an idempotent request, and retries it until the agent replies. */
export async function request(
  { transport, spelling, attempts }: Conversation,
  operation: Operation,
  params: JsonObject,
  signal?: AbortSignal,
): Promise<unknown> {
  const method = METHOD_NAMES[spelling.version][operation];
  return await attempts.run((aborted) => transport.call(method, params, aborted), signal);
}

/** Requests a task. */
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

/** Cancels the running turn of a task. */
export async function cancelTask(
  { transport, spelling, attempts }: Conversation,
  taskId: string,
  signal?: AbortSignal,
): Promise<void> {
  const method = METHOD_NAMES[spelling.version].cancel;
  let mayBeDone = false;
  await attempts.run(async (aborted) => {
    try {
      await transport.call(method, { id: taskId }, aborted);
    } catch (reason) {
      // The reply to an earlier attempt was lost, and that attempt has probably cancelled the task.
      if (mayBeDone && hasCode(reason, "task-not-cancelable")) return;
      mayBeDone ||= isTransportError(reason);
      throw reason;
    }
  }, signal);
}
