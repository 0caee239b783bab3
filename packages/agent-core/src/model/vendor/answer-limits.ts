/** How long a model's endpoint may be silent, and how much it may send. */
export interface AnswerLimits {
  /** Longest wait for the next bytes, those of the headers included. Default: two minutes. */
  readonly silenceMs: number;
  /** Longest event of a stream. Default: 4 MiB. */
  readonly maxEventBytes: number;
  /** Longest stream, what wraps the text included. Default: 64 MiB. */
  readonly maxAnswerBytes: number;
  /** How much of an error's body is read. Default: 64 KiB. */
  readonly maxErrorBytes: number;
}

/** Far more than an answer of the longest models takes. */
export const defaultAnswerLimits: AnswerLimits = {
  silenceMs: 120_000,
  maxEventBytes: 4 * 1024 * 1024,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxErrorBytes: 64 * 1024,
};
