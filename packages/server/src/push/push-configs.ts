import { randomUUID } from "node:crypto";
import { ProtocolError } from "@dt/schema";
import type { AttachedPush, PushRequest, ServerPushConfigs } from "../rpc/push/push-port.js";
import { forgetTarget, openTarget, sealTarget } from "../secrets/push-secrets.js";
import type { SecretVault } from "../secrets/secret-vault.js";
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
  /** Keeps tokens and credentials. */
  readonly vault: SecretVault;
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
  const { store, sender, guard, maxPerTask, vault } = options;
  const reveal = (push: PushRecord): PushRecord => ({
    ...push,
    target: openTarget(push.target, push, vault).target,
  });

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
      // The whole task is the first delivery, because the task may have changed before the config was set.
      const after = task?.lastPosition ?? 0;
      const existing = await findPush(request, store);
      const progress = { ...NEW_PROGRESS, after, isTaskDue: task !== undefined };
      const push = await save(toRecord(request, { progress, existing, vault }));
      return reveal((await findPush(request, store)) ?? push);
    },
    async attach(request, { message, log }): Promise<AttachedPush> {
      const pushes = await store.listPushes(request.taskId);
      const existing = pushes.find(({ configId }) => configId === request.configId);
      const others = pushes.length - (existing === undefined ? 0 : 1);
      if (others >= maxPerTask) throw tooManyConfigs(maxPerTask);
      const push = toRecord(request, { progress: NEW_PROGRESS, existing, vault });
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
    list: async (taskId) => (await store.listPushes(taskId)).map(reveal),
    async delete(key) {
      forgetTarget(key, vault);
      await store.deletePush(key);
      await sender.stop(key);
    },
  };
}

// Creates the record of a config. The revision is a digest of the target, so a config that is set again without changes
// keeps its revision.
function toRecord(request: PushRequest, { progress, existing, vault }: NewRecord): PushRecord {
  const { taskId, configId, contextId } = request;
  const life = existing === undefined ? randomUUID() : existing.target.life;
  const target = { ...request.target, ...(life !== undefined && { life }) };
  const revision = vault.digest(JSON.stringify(target)).slice(0, 32);
  const sealed = sealTarget(target, request, vault);
  return { taskId, configId, contextId, revision, target: sealed, progress };
}

interface NewRecord {
  readonly progress: PushProgress;
  readonly existing: PushRecord | undefined;
  readonly vault: SecretVault;
}

function tooManyConfigs(maxPerTask: number): ProtocolError {
  const message = `the task has ${maxPerTask} push configs already; delete one first`;
  return new ProtocolError("agent-busy", message, { data: { maxPushConfigs: maxPerTask } });
}
