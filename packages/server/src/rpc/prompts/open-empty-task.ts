import { isUnprompted, ProtocolError } from "@dt/schema";
import type { OpenedDelivery } from "../messages/delivery.js";
import type { IncomingPrompt } from "../messages/incoming.js";
import { withDialect } from "../messages/with-dialect.js";
import type { RpcContext } from "../rpc-context.js";
import type { PromptTarget } from "./find-prompt-target.js";

/**
 * Delivers settings without a prompt. They create a task that waits for its first prompt, or apply to such a task. With
 * `autoExecute`, later prompts of the same client in this task run without questions.
 */
export async function openEmptyTask(
  { host, taskId: named, view }: PromptTarget,
  { content: { settings } }: IncomingPrompt,
  { dialect, caller, createId }: RpcContext,
): Promise<OpenedDelivery> {
  if (view !== undefined && !isUnprompted(view)) {
    throw new ProtocolError(
      "unsupported-operation",
      `the task ${named} has begun; send settings together with a prompt`,
    );
  }
  const taskId = named ?? createId();
  const mode = settings?.autoExecute === true ? { taskMode: "yolo" as const } : {};
  await withDialect({ log: host.log, taskId, dialect }, () =>
    host.agent.openTask(taskId, caller, mode),
  );
  return { type: "opened", host, taskId };
}
