import type { PushKey, PushTarget } from "../store/push-record.js";
import type { SecretVault } from "./secret-vault.js";

/** The secrets of a push config. */
interface PushSecrets {
  readonly token?: string;
  readonly credentials?: string;
}

/** A target with its secrets, or the reason why they are lost. */
export type OpenedTarget =
  | { readonly type: "opened"; readonly target: PushTarget }
  | { readonly type: "lost"; readonly target: PushTarget; readonly reason: string };

/** Moves the token and the credentials of a push config into one sealed text. The result may be stored. */
export function sealTarget(target: PushTarget, key: PushKey, vault: SecretVault): PushTarget {
  const { token, authentication, ...rest } = target;
  const { credentials, ...scheme } = authentication ?? {};
  if (token === undefined && credentials === undefined) return target;
  const secrets: PushSecrets = {
    ...(token !== undefined && { token }),
    ...(credentials !== undefined && { credentials }),
  };
  return {
    ...rest,
    ...(authentication !== undefined && { authentication: { schemes: [], ...scheme } }),
    sealed: vault.seal(JSON.stringify(secrets), recordKeyOf(key)),
  };
}

/** Opens the target of a stored push config. */
export function openTarget(stored: PushTarget, key: PushKey, vault: SecretVault): OpenedTarget {
  const { sealed, ...target } = stored;
  if (sealed === undefined) return { type: "opened", target };
  const opened = vault.open(sealed, recordKeyOf(key));
  if (opened.type === "lost") return { ...opened, target };
  // The cast is safe, because only `sealTarget` creates this text, and the vault refuses a changed text.
  const { token, credentials } = JSON.parse(opened.text) as PushSecrets;
  return {
    type: "opened",
    target: {
      ...target,
      ...(token !== undefined && { token }),
      ...(credentials !== undefined && {
        authentication: { schemes: [], ...target.authentication, credentials },
      }),
    },
  };
}

/** Removes the secrets of a push config from memory. */
export function forgetTarget(key: PushKey, vault: SecretVault): void {
  vault.forget(recordKeyOf(key));
}

function recordKeyOf({ taskId, configId }: PushKey): string {
  return `push:${JSON.stringify([taskId, configId])}`;
}
