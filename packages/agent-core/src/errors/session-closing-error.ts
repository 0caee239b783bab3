/**
 * Reason of an abort because the session closes. The work was not cancelled: the session may continue in another
 * process.
 */
export class SessionClosingError extends Error {
  override readonly name = "SessionClosingError";

  constructor() {
    super("the session closes");
  }
}
