/** Limits for a model's endpoint. */
export interface ReplyLimits {
  /** Longest wait for the next bytes or the headers. Default: two minutes. */
  readonly silenceMs: number;
  /** Maximum size of one event. Default: 4 MiB. */
  readonly maxEventBytes: number;
  /** Maximum size of a reply, including the JSON around the text. Default: 64 MiB. */
  readonly maxReplyBytes: number;
  /** Maximum number of bytes that are read from the body of an error response. Default: 64 KiB. */
  readonly maxErrorBytes: number;
}

/** Limits far above the sizes and pauses of normal replies. */
export const DEFAULT_REPLY_LIMITS: ReplyLimits = {
  silenceMs: 120_000,
  maxEventBytes: 4 * 1024 * 1024,
  maxReplyBytes: 64 * 1024 * 1024,
  maxErrorBytes: 64 * 1024,
};
