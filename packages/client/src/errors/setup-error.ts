/** `connect` cannot use the agent as requested; the message says what to do. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
