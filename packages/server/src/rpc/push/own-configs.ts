import type { PushKey, PushRecord, PushTarget } from "../../store/push-record.js";
import type { SessionRecord } from "../../store/session-store.js";
import type { RpcContext } from "../rpc-context.js";

/** The push configs of a session that belong to one user. */
export interface OwnConfigs {
  /** Returns the id under which the config of a client is stored. Two users may use the same id. */
  toStoredId(configId: string): string;
  /** Returns the target as it is stored. The target of a guest's config contains the guest's user. */
  toStoredTarget(target: PushTarget): PushTarget;
  /** Returns the configs of the user, with the ids that the client gave them. */
  select(configs: readonly PushRecord[]): readonly PushRecord[];
}

/**
 * Creates the push configs that the caller of a request sees in a session. Each user sees only their own, because a
 * config has the address and the token of its receiver.
 */
export function ownConfigsOf(
  { owner }: Pick<SessionRecord, "owner">,
  { caller, shared }: Pick<RpcContext, "caller" | "shared">,
): OwnConfigs {
  // All clients of a live endpoint share its push configs.
  if (shared !== undefined || owner === caller.user) {
    return {
      toStoredId: (configId) => configId,
      toStoredTarget: (target) => target,
      select: (configs) => configs.filter(({ target }) => target.user === undefined),
    };
  }
  const { user } = caller;
  const prefix = `${JSON.stringify(user)}/`;
  return {
    toStoredId: (configId) => prefix + configId,
    toStoredTarget: (target) => ({ ...target, user }),
    select: (configs) =>
      configs
        .filter(({ target }) => target.user === user)
        .map((push) => ({ ...push, configId: push.configId.slice(prefix.length) })),
  };
}

/** Identifies the config of a client in the store. */
export function toStoredKey(own: OwnConfigs, { taskId, configId }: PushKey): PushKey {
  return { taskId, configId: own.toStoredId(configId) };
}
