import { createHash, randomUUID } from "node:crypto";
import { ProtocolError } from "@dt/schema";
import type { AttachedPush, PushRequest, ServerPushConfigs } from "../rpc/push/push-port.js";
import type { PushProgress, PushRecord } from "../store/push-record.js";
import type { SessionStore } from "../store/session-store.js";
import type { AddressGuard } from "./address/address-guard.js";
import { findPush } from "./deliver-next.js";
import { parseTarget } from "./parse-target.js";
import type { PushSender } from "./push-sender.js";

/** Options of {@link createServerPushConfigs}. */
export interface PushConfigsOptions {
  readonly store: SessionStore;
  readonly sender: PushSender;
  readonly guard: AddressGuard;
  readonly maxPerTask: number;
}

const NEW_PROGRESS: PushProgress = {
  after: 0,
  isTaskDue: false,
  attempts: 0,
  failures: 0,
  hasGivenUp: false,
};

/** Creates the push configs of a server. */
export function createServerPushConfigs(options: PushConfigsOptions): ServerPushConfigs {
  const { store, sender, guard, maxPerTask } = options;

  async function save(push: PushRecord): Promise<PushRecord> {
    if (!(await store.savePush(push, { maxPerTask }))) throw tooManyConfigs(maxPerTask);
    sender.update(push);
    return push;
  }

  return {
    countPending: () => sender.countPending(),
    parse: (config, path, client) => parseTarget(config, path, { client, guard }),
    async set(request) {
      const task = await store.findTask(request.taskId);
      // The task is delivered first, because it may have changed before the config was set.
      const after = task?.lastPosition ?? 0;
      const existing = await findPush(request, store);
      const progress = { ...NEW_PROGRESS, after, isTaskDue: task !== undefined };
      const push = await save(toRecord(request, progress, existing));
      return (await findPush(request, store)) ?? push;
    },
    async attach(request, { message, log }): Promise<AttachedPush> {
      const pushes = await store.listPushes(request.taskId);
      const existing = pushes.find(({ configId }) => configId === request.configId);
      const others = pushes.length - (existing === undefined ? 0 : 1);
      if (others >= maxPerTask) throw tooManyConfigs(maxPerTask);
      const push = toRecord(request, NEW_PROGRESS, existing);
      const detach = log.pushes.attach(message, push);
      return {
        async settle(after) {
          // `detach` returns false if the message was committed without the config. This happens if the agent
          // wrote no receipt.
          if (!detach()) await save({ ...push, progress: { ...NEW_PROGRESS, after } });
        },
        drop: () => void detach(),
      };
    },
    list: (taskId) => store.listPushes(taskId),
    async delete(key) {
      await store.deletePush(key);
      await sender.stop(key);
    },
  };
}

// Creates the record of a config. The revision is a digest of the target, so a config that is set again without changes
// keeps its revision.
function toRecord(
  request: PushRequest,
  progress: PushProgress,
  existing: PushRecord | undefined,
): PushRecord {
  const { taskId, configId, contextId } = request;
  const life = existing === undefined ? randomUUID() : existing.target.life;
  const target = { ...request.target, ...(life !== undefined && { life }) };
  const revision = createHash("sha256").update(JSON.stringify(target)).digest("hex").slice(0, 32);
  return { taskId, configId, contextId, revision, target, progress };
}

function tooManyConfigs(maxPerTask: number): ProtocolError {
  const message = `the task has ${maxPerTask} push configs already; delete one first`;
  return new ProtocolError("agent-busy", message, { data: { maxPushConfigs: maxPerTask } });
}
