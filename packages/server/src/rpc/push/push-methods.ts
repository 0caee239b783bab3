import { encodeMessage, ProtocolError, type PushConfigInfo } from "@dt/schema";
import { type A2aTaskPushConfig, pushParams, SERVER_TRAITS } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import type { PushRecord } from "../../store/push-record.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { getTaskForCaller } from "../tasks/shared-session.js";
import { ownConfigsOf, toStoredKey } from "./own-configs.js";
import { pagePushes } from "./push-page.js";
import type { ServerPushConfigs } from "./push-port.js";

/** `tasks/pushNotificationConfig/set`, `CreateTaskPushNotificationConfig`: sets a push config. (RFC-03) */
export async function pushSet(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const pushes = getPushes(context);
  const { spelling } = context;
  const { taskId, config } = spelling.push.decodeTaskConfig(params, "");
  const { host } = await getTaskForCaller(taskId, context);
  const target = pushes.parse(config, spelling.push.paramsPath, context);
  // In A2A 0.3, a task has at most one config without an id. In 1.0, each request without an id creates a new config.
  const configId =
    config.id ?? (SERVER_TRAITS[spelling.version].namesConfigsByTask ? taskId : context.createId());
  const { contextId } = host.log;
  const own = ownConfigsOf(host.session, context);
  const stored = toStoredKey(own, { taskId, configId });
  const push = await pushes.set({ ...stored, contextId, target: own.toStoredTarget(target) });
  const shown = await toClientConfig({ ...push, configId }, host.log, context);
  return { type: "result", result: spelling.push.encodeTaskConfig(shown) };
}

/** `tasks/pushNotificationConfig/get`, `GetTaskPushNotificationConfig`: returns one push config. */
export async function pushGet(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const pushes = getPushes(context);
  const { spelling } = context;
  const { taskId, configId } = pushParams[spelling.version].decodeGetParams(params);
  const { host } = await getTaskForCaller(taskId, context);
  const own = ownConfigsOf(host.session, context);
  const found = findConfig(own.select(await pushes.list(taskId)), taskId, configId);
  if (found === undefined) {
    const which = configId === undefined ? "a push config" : `the push config ${configId}`;
    throw new ProtocolError("task-not-found", `the task ${taskId} does not have ${which}`);
  }
  return {
    type: "result",
    result: spelling.push.encodeTaskConfig(await toClientConfig(found, host.log, context)),
  };
}

/** `tasks/pushNotificationConfig/list`, `ListTaskPushNotificationConfigs`: lists the push configs of a task. */
export async function pushList(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const pushes = getPushes(context);
  const { spelling } = context;
  const { taskId, ...query } = pushParams[spelling.version].decodeListParams(params);
  const { host } = await getTaskForCaller(taskId, context);
  const own = ownConfigsOf(host.session, context);
  const page = pagePushes(own.select(await pushes.list(taskId)), query);
  const shown = await Promise.all(
    page.pushes.map((push) => toClientConfig(push, host.log, context)),
  );
  return { type: "result", result: spelling.push.encodeTaskConfigs(shown, page.nextPageToken) };
}

/** `tasks/pushNotificationConfig/delete`, `DeleteTaskPushNotificationConfig`: deletes a push config, if it exists. */
export async function pushDelete(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const pushes = getPushes(context);
  const { taskId, configId } = pushParams[context.spelling.version].decodeDeleteParams(params);
  const { host } = await getTaskForCaller(taskId, context);
  await pushes.delete(toStoredKey(ownConfigsOf(host.session, context), { taskId, configId }));
  return { type: "result", result: null };
}

/** Gets the push configs; throws `push-not-supported` if push is off. */
export function getPushes({ pushes }: RpcContext): ServerPushConfigs {
  if (pushes !== undefined) return pushes;
  throw new ProtocolError("push-not-supported", "this agent sends no push notifications");
}

// Finds a config by its id. Without an id, it finds the config that was set without an id, or the only config.
function findConfig(
  pushes: readonly PushRecord[],
  taskId: string,
  configId = taskId,
): PushRecord | undefined {
  const named = pushes.find((push) => push.configId === configId);
  return named ?? (configId === taskId && pushes.length === 1 ? pushes[0] : undefined);
}

/** Converts a config for clients, without its credentials. */
async function toClientConfig(
  push: PushRecord,
  log: SessionLog,
  { activation }: RpcContext,
): Promise<A2aTaskPushConfig> {
  const { taskId, configId, target } = push;
  const { url, token, authentication } = target;
  const info = activation.session && encodeMessage("PushConfigInfo", await infoOf(push, log));
  return {
    taskId,
    config: {
      id: configId,
      url,
      ...(token !== undefined && { token }),
      ...(authentication !== undefined && { authentication: { schemes: authentication.schemes } }),
      ...(info && { metadata: { [activation.uris.session]: info } }),
    },
  };
}

async function infoOf({ target, progress }: PushRecord, log: SessionLog): Promise<PushConfigInfo> {
  const { after, failures, nextAttemptAt = "", lastError = "", hasGivenUp } = progress;
  return {
    allEvents: target.allEvents,
    state: hasGivenUp ? "GAVE_UP" : failures > 0 ? "RETRYING" : "DELIVERING",
    cursor: await log.cursorAt(after),
    failures,
    nextAttemptAt,
    lastError,
  };
}
