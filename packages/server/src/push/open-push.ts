import { DEFAULT_EXTENSION_URIS, type ExtensionUris } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { DEFAULT_LIMITS, type Limits } from "../access/limits/limits.js";
import type { Clock } from "../clock.js";
import type { Logger } from "../logging/logger.js";
import type { Metrics } from "../metrics/metrics.js";
import type { ServerPushConfigs } from "../rpc/push/push-port.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import type { SessionStore } from "../store/session-store.js";
import { createAddressGuard } from "./address/address-guard.js";
import { parsePushAllowList } from "./address/allow-list.js";
import { createNameResolver, type ResolveName } from "./address/resolve-name.js";
import type { RetryPolicy } from "./advance-push.js";
import { createPoster } from "./post-delivery.js";
import { createServerPushConfigs } from "./push-configs.js";
import { openPushSender, type PushSender } from "./push-sender.js";
import type { PushLimits } from "./queue/delivery-limits.js";
import type { PushCall } from "./report-call.js";

/** Options of push: receivers, limits and retries. */
export interface PushOptions {
  /**
   * Hosts (`hooks.internal`), addresses and ranges (`10.0.0.0/8`) that may be called although they are
   * not on the public internet. Default: none.
   */
  readonly allowList?: readonly string[];
  /** Key that signs the calls of configs without HMAC credentials. Default: these calls are not signed. */
  readonly secret?: string;
  /** Time that a receiver may take to answer. Default: 15 seconds. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Limits on simultaneous calls. */
  readonly limits?: Partial<PushLimits>;
  /** Finds the addresses of a name. Default: asks the name servers of the system. */
  readonly resolveName?: ResolveName;
  /** Called after every call to a receiver. */
  readonly onCall?: (call: PushCall) => void;
}

/** The parts of a server that push needs. */
export interface PushParts {
  readonly store: SessionStore;
  readonly uris: ExtensionUris;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly maxConfigsPerTask: number;
  /** Only the receivers of this session are called. Default: the receivers of all sessions in the store. */
  readonly contextId?: string | undefined;
  /** Keeps tokens and credentials of configs. */
  readonly vault: SecretVault;
  onFault(reason: unknown): void;
}

/** Time after the timeout of a call. After this time, another instance may repeat the attempt. */
const CLAIM_MARGIN_MS = 5_000;

/** The push configs of a server, and the sender that calls their receivers. */
export interface Push {
  readonly configs: ServerPushConfigs;
  readonly sender: PushSender;
}

/** Time that a receiver may take to answer. */
export const DEFAULT_PUSH_TIMEOUT_MS = 15_000;

/** Opens push; throws `SetupError` for an invalid allow list. */
export function openPush(options: PushOptions, parts: PushParts): Push {
  const { store, clock, maxConfigsPerTask: maxPerTask, vault } = parts;
  const { resolveName = createNameResolver(), timeoutMs = DEFAULT_PUSH_TIMEOUT_MS } = options;
  const allowList = parsePushAllowList(options.allowList ?? []);
  const guard = createAddressGuard({ allowList, resolveName });
  const poster = createPoster({ guard, timeoutMs, now: () => clock.now() });
  const { secret, retry, limits, onCall } = options;
  const dialects = createDialects(parts.uris);
  const claimMs = timeoutMs + CLAIM_MARGIN_MS;
  const sender = openPushSender({
    ...parts,
    dialects,
    poster,
    secret,
    retry,
    limits,
    onCall,
    claimMs,
  });
  return { sender, configs: createServerPushConfigs({ store, sender, guard, maxPerTask, vault }) };
}

/** The options of a server for push. */
export interface ServerPushOptions extends Pick<PushParts, "store"> {
  readonly metrics?: Pick<Metrics, "pushed">;
  readonly push?: PushOptions | false;
  readonly uris?: ExtensionUris;
  readonly limits?: Partial<Limits>;
}

/** Opens the push of a server; undefined if it is switched off. */
export function openServerPush(
  { push = {}, store, uris = DEFAULT_EXTENSION_URIS, limits, metrics }: ServerPushOptions,
  parts: Pick<PushParts, "logger" | "clock" | "onFault" | "contextId" | "vault">,
): Push | undefined {
  if (push === false) return undefined;
  const { maxPushConfigsPerTask: maxConfigsPerTask } = { ...DEFAULT_LIMITS, ...limits };
  const onCall = (call: PushCall) => {
    metrics?.pushed(call);
    push.onCall?.(call);
  };
  return openPush({ ...push, onCall }, { ...parts, store, uris, maxConfigsPerTask });
}
