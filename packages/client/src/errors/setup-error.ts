/** The agent at this address cannot be used as asked; the sentence says what to do about it. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
