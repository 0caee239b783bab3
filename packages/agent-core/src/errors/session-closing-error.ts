/**
 * Abort reason when the session closes. It is not a cancellation, because the work may continue in another
 * process.
 */
export class SessionClosingError extends Error {
  override readonly name = "SessionClosingError";

  constructor() {
    super("the session closes");
  }
}
