import { DEFAULT_LIMITS } from "../access/limits/limits.js";
import { DEFAULT_RETRY_POLICY } from "../push/advance-push.js";
import { DEFAULT_PUSH_TIMEOUT_MS } from "../push/open-push.js";
import { DEFAULT_MAX_BODY_BYTES } from "./http-options.js";

/** Default values of a server's options. */
export const SERVER_DEFAULTS = {
  limits: DEFAULT_LIMITS,
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  pushTimeoutMs: DEFAULT_PUSH_TIMEOUT_MS,
  pushMaxFailures: DEFAULT_RETRY_POLICY.maxFailures,
};
